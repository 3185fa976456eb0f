/** The weather over HTTP, as a tool: a read, so it is simply tried again when it fails. */
import { z } from 'zod';
import type { Contract } from '../src/contract/contract.ts';
import { tool } from '../src/contract/tool.ts';
import { ToolError } from '../src/contract/tool-error.ts';
import { readJson } from './http-json.ts';

const forecast = z.object({
  city: z.string(),
  date: z.iso.date(),
  highC: z.number(),
  lowC: z.number(),
  conditions: z.string(),
});
type Forecast = z.infer<typeof forecast>;

export function weatherTool(weatherUrl: string): Contract {
  return tool({
    name: 'get_weather',
    description:
      'Gives the forecast for a city: highest and lowest temperature in degrees Celsius, and the conditions in words. Use it before advising on clothes or travel.',
    input: z.strictObject({
      city: z.string().min(1).max(80).describe('The name of the city in English.'),
      days: z.int().min(0).max(7).describe('How many days ahead: 0 is today, 1 tomorrow.'),
    }),
    // A service that changes its format is found out here, and the model is told instead of shown numbers that mean something else.
    output: forecast,
    examples: [{ input: { city: 'Beijing', days: 1 } }],
    effect: 'read',
    timeout: 1500,
    retry: { attempts: 4, baseMs: 250 },
    execute: async ({ city, days }, { signal }) => {
      const url = new URL('/forecast', weatherUrl);
      url.search = new URLSearchParams({ city, days: String(days) }).toString();
      const response = await fetch(url, { signal }).catch((cause: unknown) => {
        throw new ToolError({
          code: 'upstream-unavailable',
          class: 'retryable',
          effect: 'none',
          message: 'The weather service cannot be reached.',
          cause,
        });
      });
      if (!response.ok) throw await failure(response);
      // What was read is held to the output schema by Axle; the type says what it will be when it passes.
      return (await readJson(response)) as Forecast;
    },
  });
}

async function failure(response: Response): Promise<ToolError> {
  await response.body?.cancel();
  const message = `The weather service answered ${response.status}.`;
  const isOurs = response.status < 500 && response.status !== 429;
  if (isOurs) return new ToolError({ class: 'recoverable', effect: 'none', message });
  const seconds = Number(response.headers.get('retry-after') ?? 'none');
  return new ToolError({
    code: response.status === 429 ? 'upstream-rate-limited' : 'upstream-unavailable',
    class: 'retryable',
    message,
    ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
  });
}
