/** Plain data with its texts and keys concealed; the same object where nothing in it is to be concealed. */
import { isRecord } from '../../util/json.ts';

export function concealIn<Data>(data: Data, conceal: (text: string) => string): Data {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else changes
  return concealed(data, conceal) as Data;
}

function concealed(data: unknown, conceal: (text: string) => string): unknown {
  if (typeof data === 'string') return conceal(data);
  if (Array.isArray(data)) {
    const items: readonly unknown[] = data;
    const shown = items.map((item) => concealed(item, conceal));
    return shown.some((item, index) => item !== items[index]) ? shown : data;
  }
  if (!isRecord(data)) return data;
  const record = data;
  const keys = Object.keys(record);
  // Made only from the first difference on: nearly always there is none.
  let shown: [string, unknown][] | undefined;
  for (let place = 0; place < keys.length; place += 1) {
    const key = keys[place] ?? '';
    const name = conceal(key);
    const item = concealed(record[key], conceal);
    if (shown === undefined && (name !== key || item !== record[key])) {
      shown = keys.slice(0, place).map((same) => [same, record[same]]);
    }
    shown?.push([name, item]);
  }
  return shown === undefined ? record : Object.fromEntries(shown);
}
