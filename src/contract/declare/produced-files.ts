/** Reads `produces` of a command: the files that it leaves in its folder and that become part of the result. */
import { isRecord } from '../../util/json.ts';
import type { ProducedFiles } from '../program.ts';
import { parseSizeBytes } from '../size.ts';
import { type Fields, invalid, optionalNumber, part } from './fields.ts';

const maxPaths = 50;
/** As base64 they still fit into a result. */
const maxSizeBytes = 700_000;
const defaultSizeBytes = 256 * 1024;
const defaultCount = 20;

/** Undefined where none are declared. @throws AxleError `contract-invalid` */
export function readProduced(fields: Fields): ProducedFiles | undefined {
  const said: unknown = fields.values['produces'];
  if (said === undefined) return undefined;
  if (!isRecord(said)) return frozen(readPaths(fields, 'produces', said), defaultCount, defaultSizeBytes);
  const inner = part(fields, 'produces', ['paths', 'count', 'size']);
  const count = optionalNumber(inner, 'count', { from: 1, to: 100, whole: true }) ?? defaultCount;
  return frozen(readPaths(inner, 'paths', inner.values['paths']), count, readSize(inner));
}

function frozen(paths: readonly string[], maxCount: number, sizeBytes: number): ProducedFiles {
  return Object.freeze({ paths: Object.freeze(paths), maxCount, maxBytes: sizeBytes });
}

function readSize(fields: Fields): number {
  const { size } = fields.values;
  if (size === undefined) return defaultSizeBytes;
  const sizeBytes = parseSizeBytes(size);
  if (sizeBytes !== undefined && sizeBytes >= 1 && sizeBytes <= maxSizeBytes) return sizeBytes;
  throw invalid(fields, 'size', `bytes or a text such as '64KB', at most ${maxSizeBytes} bytes`);
}

/** Names that every file system takes, with `*` and `?`; neither `..` nor a leading slash leads out of the folder, and no shell reads more into them. */
const step = /^[A-Za-z0-9_*?][A-Za-z0-9_.*?-]{0,99}$/;

function readPaths(fields: Fields, field: string, said: unknown): readonly string[] {
  const wanted = `a list of 1 to ${maxPaths} relative paths, in which * and ? stand for letters of a name`;
  if (!Array.isArray(said) || said.length === 0 || said.length > maxPaths) throw invalid(fields, field, wanted);
  return said.map((path: unknown) => {
    const steps = typeof path === 'string' ? path.split('/') : [];
    if (typeof path === 'string' && steps.length <= 10 && steps.every((each) => step.test(each))) return path;
    throw invalid(fields, field, `${wanted} (${JSON.stringify(path)} is none)`);
  });
}
