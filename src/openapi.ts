/** `axle/openapi`: operations of OpenAPI documents as tools. */
export {
  openApiTools,
  type OpenApiOptions,
  type OpenApiSource,
  type RefusedOperation,
} from './openapi/openapi-tools.ts';
export type { OperationTerms } from './openapi/operation-terms.ts';
export type { ApiAuth, SchemeSecret } from './openapi/security.ts';
export { type Credential, secret, type SecretReference } from './http-client/secret.ts';
