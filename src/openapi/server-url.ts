/**
 * Where requests go.
 *
 * V1 Secrets go only to a server that the configuration names: a document could name another.
 * V2 What a model says can never change host or path beyond the places of the template: no `..`, no empty part.
 */
import { refusedArgument } from './refused-argument.ts';
import { AxleError } from '../error/axle-error.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../util/json.ts';
import type { ApiDocument } from './document.ts';

/**
 * The URL that paths are appended to, without a slash at its end.
 * @throws AxleError `configuration-invalid`
 */
export function serverUrl(document: ApiDocument, given: string | undefined, hasAuth: boolean): string {
  const found = given ?? firstServer(document.json['servers']);
  if (found === undefined || !/^https?:\/\//i.test(found)) {
    throw invalid(found === undefined ? 'the document names none' : `the document's (${found}) is no absolute URL`);
  }
  if (given === undefined && hasAuth) {
    throw invalid(`secrets are sent only to a server that is named here; the document's is ${found}`);
  }
  let url: URL;
  try {
    url = new URL(found);
  } catch {
    throw invalid(`${found} is no URL`);
  }
  if (url.username !== '' || url.search !== '' || url.hash !== '') {
    throw invalid(`${url.origin} must have no user name, no query and no fragment`);
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function firstServer(servers: JsonValue | undefined): string | undefined {
  const first = isJsonArray(servers) ? servers[0] : undefined;
  if (!isJsonObject(first) || typeof first['url'] !== 'string') return undefined;
  const { variables } = first;
  return first['url'].replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const variable = isJsonObject(variables) ? variables[name] : undefined;
    const value = isJsonObject(variable) ? variable['default'] : undefined;
    return typeof value === 'string' ? value : '';
  });
}

function invalid(why: string): AxleError {
  return new AxleError('configuration-invalid', `An OpenAPI source needs server: ${why}.`, {
    remedy: "Give the URL that the paths are appended to: server: 'https://api.example.com/v1'.",
  });
}

/** The path with its templates filled. @throws ToolError `arguments-invalid`, with nothing sent */
export function filledPath(template: string, valueOf: (name: string) => string | undefined): string {
  const path = template.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = valueOf(name);
    if (value === undefined || value === '') throw refusedArgument(`The argument for {${name}} must not be empty.`);
    return value;
  });
  // A URL reads these as a way up, encoded or not.
  const isWayUp = path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
  if (isWayUp) throw refusedArgument('An argument must not make . or .. of a part of the path.');
  return path;
}
