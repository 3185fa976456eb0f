import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressKind } from '../../src/http-client/address-kind.ts';
import { destinationOf, readUrl } from '../../src/http-client/destination.ts';
import { readGrants } from '../../src/http-client/grants.ts';

/** What the guard lets through, without dialling it. */
async function permitted(url: string): Promise<readonly string[]> {
  try {
    return (await destinationOf(readUrl(url), readGrants([]), () => Promise.reject(new Error('no names here'))))
      .addresses;
  } catch {
    return [];
  }
}

const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
/** Addresses near the edges of what is refused, and any. */
const address = fc.oneof(
  bytes,
  fc.tuple(fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255), fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.constantFrom<[number, number, number, number]>(
    [169, 254, 169, 254],
    [172, 15, 255, 255],
    [172, 16, 0, 0],
    [172, 32, 0, 0],
    [100, 63, 255, 255],
    [100, 128, 0, 0],
  ),
);
const written = (part: number): fc.Arbitrary<string> =>
  fc.constantFrom(
    String(part),
    `0x${part.toString(16)}`,
    `0${part.toString(8)}`,
    `0X${part.toString(16).toUpperCase()}`,
  );

test('an IPv4 address is let through in each of its spellings or in none, and always as itself (G2)', async () => {
  const spelled = address.chain((parts) => {
    const [a, b, c, d] = parts;
    const tails = [
      [a, b, c, d],
      [a, b, c * 256 + d],
      [a, (b * 256 + c) * 256 + d],
      [((a * 256 + b) * 256 + c) * 256 + d],
    ];
    const spellings = tails.map((tail) => fc.tuple(...tail.map(written)).map((texts) => texts.join('.')));
    return fc.tuple(fc.constant(parts.join('.')), fc.oneof(...spellings));
  });
  await fc.assert(
    fc.asyncProperty(spelled, async ([plain, text]) => {
      expect(await permitted(`http://${text}/`)).toEqual(addressKind(plain) === 'public' ? [plain] : []);
    }),
    { numRuns: 2_000 },
  );
});

test('an IPv6 address in which an IPv4 address stands is never let through (K2)', async () => {
  const carriers = ['::ffff:', '::ffff:0:', '::', '64:ff9b::', '64:ff9b:1::', '2002:'];
  await fc.assert(
    fc.asyncProperty(address, fc.constantFrom(...carriers), async ([a, b, c, d], carrier) => {
      const groups = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
      const text = carrier === '2002:' ? `2002:${groups}::1` : `${carrier}${groups}`;
      expect(await permitted(`http://[${text}]/`)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('of IPv6 nothing outside of what is global is let through (K1)', async () => {
  const group = fc.nat(65_535).map((value) => value.toString(16));
  await fc.assert(
    fc.asyncProperty(fc.array(group, { minLength: 8, maxLength: 8 }), async (groups) => {
      const first = Number.parseInt(groups[0] ?? '0', 16);
      const addresses = await permitted(`http://[${groups.join(':')}]/`);
      if (first < 0x2000 || first > 0x3fff) expect(addresses).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});
