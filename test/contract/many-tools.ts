/** Hundreds of tools as a company has them: what is done, and to what. */
import type { Contract } from '../../src/contract/contract.ts';
import { tool } from '../../src/contract/tool.ts';

const groups = {
  billing: ['invoice', 'charge', 'subscription', 'coupon', 'payment method', 'tax rate', 'credit note', 'payout'],
  crm: ['contact', 'company', 'deal', 'lead', 'note', 'pipeline', 'segment', 'campaign'],
  support: ['ticket', 'macro', 'queue', 'escalation', 'satisfaction survey', 'help article', 'canned reply'],
  people: ['employee', 'vacation request', 'contract', 'job opening', 'candidate', 'interview', 'payslip'],
  warehouse: ['parcel', 'shelf', 'stock level', 'supplier', 'purchase order', 'return label', 'carrier'],
  cloud: ['virtual machine', 'bucket', 'database', 'firewall rule', 'certificate', 'dns record', 'deployment'],
  calendar: ['meeting', 'room', 'reminder', 'availability', 'time zone', 'recurring event'],
} as const;

const verbs = {
  create: { says: 'Creates', effect: 'write' },
  get: { says: 'Gets', effect: 'read' },
  list: { says: 'Lists', effect: 'read' },
  update: { says: 'Updates', effect: 'write' },
  delete: { says: 'Deletes', effect: 'write' },
  archive: { says: 'Archives', effect: 'write' },
  export: { says: 'Exports', effect: 'read' },
  assign: { says: 'Assigns somebody to', effect: 'write' },
  search: { says: 'Searches every', effect: 'read' },
  approve: { says: 'Approves', effect: 'write' },
} as const;

export interface ManyTools {
  readonly contracts: readonly Contract[];
  /** A request in other words than the tool's own name, and the tool that it means. */
  readonly requests: readonly { readonly words: string; readonly means: string }[];
}

export function manyTools(): ManyTools {
  const contracts: Contract[] = [];
  const requests: { words: string; means: string }[] = [];
  for (const [category, things] of Object.entries(groups)) {
    for (const thing of things) {
      for (const [verb, { says, effect }] of Object.entries(verbs)) {
        const name = `${category}.${verb}_${thing.replaceAll(' ', '_')}`;
        contracts.push(
          tool({
            name,
            category,
            effect,
            description: `${says} one ${thing} of the ${category} system, by its number.`,
            input: {
              type: 'object',
              properties: { number: { type: 'integer', description: `The number of the ${thing}` } },
              required: ['number'],
            },
            execute: ({ number }) => ({ done: `${name} ${JSON.stringify(number)}` }),
          }),
        );
        requests.push({ words: `please ${verb} the ${thing}s that I told you about`, means: name });
      }
    }
  }
  return { contracts, requests };
}
