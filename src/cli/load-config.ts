/** The configuration of a project: a module that exports `defineConfig({ ... })` as its default. TypeScript is run by Node itself. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import type { AxleConfig } from '../facade/define-config.ts';
import { isRecord } from '../util/json.ts';

export const configNames = ['axle.config.ts', 'axle.config.mts', 'axle.config.js', 'axle.config.mjs'] as const;

/** The configuration in a folder, by the order of `configNames`. */
export function findConfig(folder: string): string | undefined {
  return configNames.map((name) => resolve(folder, name)).find((path) => existsSync(path));
}

/** `search` makes another module of the same file (`?axle=2`). @throws AxleError `configuration-invalid` with the reason, and the error that the module threw as its cause. */
export async function loadConfig(path: string, search = ''): Promise<AxleConfig> {
  if (!existsSync(path)) {
    throw new AxleError('configuration-invalid', `There is no configuration at ${path}.`, {
      remedy: 'Check --config, or write the file.',
    });
  }
  let module: unknown;
  try {
    module = await import(`${pathToFileURL(path).href}${search}`);
  } catch (error) {
    throw new AxleError('configuration-invalid', `${path} cannot be loaded: ${reasonOf(error)}${placeOf(error)}`, {
      cause: error,
      remedy: remedyOf(error),
    });
  }
  const exported = isRecord(module) ? module['default'] : undefined;
  if (!isConfig(exported)) {
    throw new AxleError('configuration-invalid', `${path} does not export a configuration as its default.`, {
      remedy: 'End the file with: export default defineConfig({ tools: [...], agents: [...] })',
    });
  }
  return exported;
}

// Its fields are checked by `createAxle`, which every use of a configuration goes through.
function isConfig(value: unknown): value is AxleConfig {
  return isRecord(value);
}

function reasonOf(error: unknown): string {
  return isAxleError(error) ? `${error.code}: ${error.message}` : messageOf(error);
}

const axleFolder = fileURLToPath(new URL('..', import.meta.url));

/** Where it went wrong, in the configuration or in what it imports: ` (/project/tools/mail.ts:12)`. Empty where the error does not say. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const places = (error.stack ?? '').matchAll(/(?:file:\/\/)?(\/[^\s()?:]+\.[cm]?[jt]s)(?:\?[^:\s]*)?:(\d+)/gu);
  const own = [...places].find(([, file = '']) => !file.includes('/node_modules/') && !file.startsWith(axleFolder));
  return own === undefined ? '' : ` (${own[1]}:${own[2]})`;
}

function remedyOf(error: unknown): string {
  if (isAxleError(error)) return error.remedy;
  const code: unknown = isRecord(error) ? error['code'] : undefined;
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') {
    return 'Node runs TypeScript by leaving the types out: write it without enums, namespaces and parameter properties.';
  }
  if (error instanceof SyntaxError && moduleWords.some((words) => error.message.includes(words))) {
    return 'The package.json beside it says that files are CommonJS, as npm init writes it: npm pkg set type=module';
  }
  return 'Correct what the message names; `node FILE` shows the whole error.';
}

/** What Node says of a module that it was told to read as CommonJS. */
const moduleWords = ['outside a module', "Unexpected token 'export'", 'top level bodies of modules'];
