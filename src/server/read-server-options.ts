/** Checks what programs without types may hand to `createServer`: a misspelt `readOnly` would leave a server open without a word. */
import { type Fields, flag, invalid, optionalNumber, refuseUnknown, texts } from '../contract/declare/fields.ts';
import { AxleError } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';

const optionNames = [
  'axle',
  'tokens',
  'hosts',
  'readOnly',
  'logs',
  'metrics',
  'page',
  'maxBodyBytes',
  'maxListeners',
  'slowListenerMs',
  'log',
];

/** @throws AxleError `configuration-invalid` */
export function assertServerOptions(options: unknown): void {
  if (!isRecord(options)) throw new AxleError('configuration-invalid', 'createServer takes an object with an Axle.');
  const fields: Fields = { owner: 'createServer', values: options, code: 'configuration-invalid' };
  refuseUnknown(fields, optionNames);
  const { axle, tokens, page, logs, metrics, log } = options;
  if (!isRecord(axle) || !isRecord(axle['store'])) throw invalid(fields, 'axle', 'what createAxle() gives');
  if (tokens !== undefined && !Array.isArray(tokens)) throw invalid(fields, 'tokens', 'a list of tokens');
  const isPage = page === undefined || page === false || typeof page === 'string';
  if (!isPage) throw invalid(fields, 'page', 'a folder or false');
  if (logs !== undefined && !(isRecord(logs) && typeof logs['linesOf'] === 'function')) {
    throw invalid(fields, 'logs', 'what runLogs() gives');
  }
  if (metrics !== undefined && !(isRecord(metrics) && typeof metrics['text'] === 'function')) {
    throw invalid(fields, 'metrics', 'what createMetrics() gives');
  }
  if (log !== undefined && typeof log !== 'function') throw invalid(fields, 'log', 'a function');
  flag(fields, 'readOnly');
  texts(fields, 'hosts', 1_000);
  optionalNumber(fields, 'maxBodyBytes', { from: 1_024, to: 33_554_432, whole: true });
  optionalNumber(fields, 'maxListeners', { from: 1, to: 100_000, whole: true });
  optionalNumber(fields, 'slowListenerMs', { from: 100, to: 3_600_000 });
}
