/**
 * What the GenAI conventions of OpenTelemetry want to know and Prometheus is told in another form: counted from the same entries, for `axle/otel`, which has the names.
 * Buckets are those that the conventions advise.
 */
import { counter, type Declared, histogram } from './declare.ts';

function doubled(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Number((first * 2 ** index).toPrecision(6)));
}

const seconds = doubled(0.01, 14);
const longSeconds = doubled(0.1, 13);
const counts = doubled(1, 8);

export const genAiTable = {
  agent_duration: histogram(
    'From the acceptance of a run of an agent to its end.',
    longSeconds,
    'agent',
    'model',
    'error',
  ),
  agent_model_calls: histogram('Attempts of model calls that a run of an agent took.', counts, 'agent'),
  agent_tool_calls: histogram('Calls of tools in a run of an agent.', counts, 'agent'),
  model_duration: histogram('How long attempts of model calls took.', seconds, 'model', 'answered_by', 'error'),
  model_first_chunk: histogram('From the start of a model call to the first piece of its answer.', seconds, 'model'),
  input_tokens: counter('Tokens that models were shown, cached ones included.', 'model', 'answered_by'),
  cached_tokens: counter('Tokens of these that providers had cached.', 'model', 'answered_by'),
  output_tokens: counter('Tokens that models wrote, reasoning included.', 'model', 'answered_by'),
  reasoning_tokens: counter('Tokens of these that were reasoning.', 'model', 'answered_by'),
  tool_duration: histogram('From binding a call to its outcome, waits included.', seconds, 'tool', 'error'),
} as const satisfies Readonly<Record<string, Declared>>;

export type GenAiName = keyof typeof genAiTable;
