/** `axle/http-client`: HTTP for tools, with a guard on every address, limits on every body and wait, and secrets by name. */
export {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
  type HttpRequest,
} from './http-client/http-client.ts';
export type { HttpResponse } from './http-client/http-response.ts';
export type { HttpLimits } from './http-client/http-limits.ts';
export type { Resolve } from './http-client/destination.ts';
export { type Credential, secret, type SecretReference, type Secrets } from './http-client/secret.ts';
export { guardedFetch, type GuardedFetchOptions } from './http-client/guarded-fetch.ts';
