/** The tool with which a model reads on in a result that was too long to be shown. */
import type { Contract } from '../../contract/contract.ts';
import { tool } from '../../contract/tool.ts';
import { ToolError } from '../../contract/tool-error.ts';
import type { KeptContent } from './kept-content.ts';

const maxChars = 20_000;

/** A contract that reads what a source keeps. */
export function readKeptTool(name: string, kept: KeptContent): Contract {
  return tool({
    name,
    description: 'Reads on in a long text result of an earlier call, which was shown in part and has a reference.',
    whenToUse: 'When a result says that only its beginning and end are shown, and the part in between is needed.',
    limitations: `Reads text only, at most ${maxChars} characters at a time. What was kept long ago may be gone.`,
    input: {
      type: 'object',
      properties: {
        reference: { type: 'string', description: 'The reference in the result, which begins with kept:' },
        offset: { type: 'integer', minimum: 0, default: 0, description: 'The first character to read, from 0' },
        chars: { type: 'integer', minimum: 1, maximum: maxChars, default: maxChars },
      },
      required: ['reference'],
      additionalProperties: false,
    },
    effect: 'read',
    execute: async ({ reference, offset = 0, chars = maxChars }) => {
      const bytes = typeof reference === 'string' ? await kept.read(reference) : undefined;
      if (bytes === undefined) throw refusal(`Nothing is kept under the reference ${JSON.stringify(reference)}.`);
      const text = decode(bytes);
      const from = Number(offset);
      const part = text.slice(from, from + Number(chars)).toWellFormed();
      const next = from + part.length;
      return { text: part, chars: text.length, ...(next < text.length ? { nextOffset: next } : {}) };
    },
  });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refusal(`What is kept under this reference is no text but ${bytes.byteLength} bytes of data.`);
  }
}

function refusal(message: string): ToolError {
  return new ToolError({ class: 'recoverable', effect: 'none', message });
}
