/** The operations of a document, in its order. */
import { isJsonObject, type JsonObject } from '../util/json.ts';
import type { ApiDocument } from './document.ts';
import { textOf, textsOf } from './json-parts.ts';
import { resolveObject } from './reference.ts';

/** Methods that OpenAPI has; `trace` is none that a tool should send. */
export const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'query'] as const;
export type Method = (typeof methods)[number];

/** Methods that change nothing, by what HTTP says of them. */
export const readMethods: ReadonlySet<Method> = new Set(['get', 'head', 'options', 'query']);

export interface Operation {
  readonly method: Method;
  /** As the document writes it, with its templates: `/pets/{petId}`. */
  readonly path: string;
  /** The document's own, where there is one. */
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
  readonly json: JsonObject;
  readonly pathItem: JsonObject;
}

export function operationsOf(document: ApiDocument): readonly Operation[] {
  const { paths } = document.json;
  if (!isJsonObject(paths)) return [];
  return Object.entries(paths).flatMap(([path, given]) => {
    const pathItem = resolveObject(document.json, given);
    if (pathItem === undefined || !path.startsWith('/')) return [];
    return methods.flatMap((method) => {
      const json = pathItem[method];
      if (!isJsonObject(json)) return [];
      return [{ method, path, json, pathItem, operationId: textOf(json['operationId']), tags: textsOf(json['tags']) }];
    });
  });
}

/** Method and path, as people write them: `GET /pets/{petId}`. */
export function labelOf({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${path}`;
}
