/** What a model is told of a tool. */
import type { JsonObject } from '../util/json.ts';

/** A tool as a model is shown it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}
