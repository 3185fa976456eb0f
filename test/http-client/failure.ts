/** What a request failed with, in the terms of the effect law. */
import { isToolError, type ToolError } from '../../src/contract/tool-error.ts';

export async function failureOf(request: Promise<unknown>): Promise<ToolError> {
  try {
    await request;
  } catch (error) {
    if (isToolError(error)) return error;
    throw error;
  }
  throw new Error('The request did not fail.');
}
