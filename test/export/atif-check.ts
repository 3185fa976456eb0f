/** What the definition of ATIF v1.7 demands of a trajectory, each rule on its own. A list of what is wrong; empty when nothing is. */
type Node = Readonly<Record<string, unknown>>;

const rootFields =
  'schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra subagent_trajectories';
const agentFields = 'name version model_name tool_definitions extra';
const stepFields =
  'step_id timestamp source model_name reasoning_effort message reasoning_content tool_calls observation metrics llm_call_count is_copied_context extra';
const agentOnly = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics', 'llm_call_count'];
const metricFields =
  'prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra';
const finalFields = 'total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra';

export function atifFaults(trajectory: unknown): readonly string[] {
  const faults: string[] = [];
  const root = object(trajectory, 'trajectory', faults);
  onlyKnown(root, rootFields, 'trajectory', faults);
  need(/^ATIF-v1\.[0-7]$/u.test(String(root['schema_version'])), 'schema_version', faults);
  const agent = object(root['agent'], 'agent', faults);
  onlyKnown(agent, agentFields, 'agent', faults);
  need(isText(agent['name']) && isText(agent['version']), 'agent: name and version', faults);
  for (const definition of list(agent['tool_definitions'])) {
    const { type, function: declared } = object(definition, 'tool_definition', faults);
    const { name, parameters } = object(declared, 'tool_definition.function', faults);
    need(type === 'function' && isText(name) && isNode(parameters), 'tool_definition', faults);
  }
  const steps = list(root['steps']);
  need(steps.length > 0, 'steps: at least one', faults);
  for (const [index, each] of steps.entries()) checkStep(object(each, `steps[${index}]`, faults), index, faults);
  if (root['final_metrics'] !== undefined) {
    const final = object(root['final_metrics'], 'final_metrics', faults);
    onlyKnown(final, finalFields, 'final_metrics', faults);
    need(
      final['total_steps'] === undefined || final['total_steps'] === steps.length,
      'final_metrics.total_steps',
      faults,
    );
    for (const [total, field] of [
      ['total_prompt_tokens', 'prompt_tokens'],
      ['total_completion_tokens', 'completion_tokens'],
    ] as const) {
      const sum = steps.reduce<number>(
        (all, step) => all + Number(((step as Node)['metrics'] as Node | undefined)?.[field] ?? 0),
        0,
      );
      need(final[total] === undefined || final[total] === sum, `final_metrics.${total}`, faults);
    }
  }
  return faults;
}

function checkStep(step: Node, index: number, faults: string[]): void {
  const place = `steps[${index}]`;
  onlyKnown(step, stepFields, place, faults);
  need(step['step_id'] === index + 1, `${place}.step_id is not ${index + 1}`, faults);
  need(['system', 'user', 'agent'].includes(String(step['source'])), `${place}.source`, faults);
  need(isText(step['message']), `${place}.message`, faults);
  const time = step['timestamp'];
  need(
    time === undefined || (isText(time) && !Number.isNaN(Date.parse(time)) && /T.*Z$/u.test(time)),
    `${place}.timestamp`,
    faults,
  );
  if (step['source'] !== 'agent') {
    for (const field of agentOnly) need(step[field] === undefined, `${place}.${field} is for agents only`, faults);
  }
  const ids = new Set<unknown>();
  for (const each of list(step['tool_calls'])) {
    const call = object(each, `${place}.tool_calls`, faults);
    onlyKnown(call, 'tool_call_id function_name arguments extra', `${place}.tool_calls`, faults);
    need(
      isText(call['tool_call_id']) && isText(call['function_name']) && isNode(call['arguments']),
      `${place}.tool_calls`,
      faults,
    );
    need(!ids.has(call['tool_call_id']), `${place}: an id twice`, faults);
    ids.add(call['tool_call_id']);
  }
  for (const each of list((step['observation'] as Node | undefined)?.['results'])) {
    const result = object(each, `${place}.observation`, faults);
    onlyKnown(result, 'source_call_id content subagent_trajectory_ref', `${place}.observation`, faults);
    need(
      ids.has(result['source_call_id']),
      `${place}: ${String(result['source_call_id'])} is no call of the step`,
      faults,
    );
    need(isText(result['content']), `${place}.observation.content`, faults);
  }
  if (step['metrics'] === undefined) return;
  const metrics = object(step['metrics'], `${place}.metrics`, faults);
  onlyKnown(metrics, metricFields, `${place}.metrics`, faults);
  need(step['llm_call_count'] !== 0, `${place}.metrics without a model call`, faults);
  for (const field of ['prompt_tokens', 'completion_tokens', 'cached_tokens']) {
    need(metrics[field] === undefined || Number.isInteger(metrics[field]), `${place}.metrics.${field}`, faults);
  }
}

function need(holds: boolean, what: string, faults: string[]): void {
  if (!holds) faults.push(what);
}

function onlyKnown(node: Node, fields: string, place: string, faults: string[]): void {
  const known = fields.split(' ');
  for (const field of Object.keys(node)) need(known.includes(field), `${place}.${field} is not known`, faults);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function object(value: unknown, place: string, faults: string[]): Node {
  if (isNode(value)) return value;
  faults.push(`${place} is not an object`);
  return {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
