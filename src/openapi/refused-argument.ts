import { ToolError } from '../contract/tool-error.ts';

/** An argument that fits its schema and cannot be sent: nothing was. */
export function refusedArgument(message: string): ToolError {
  return new ToolError({ code: 'arguments-invalid', class: 'recoverable', effect: 'none', message });
}
