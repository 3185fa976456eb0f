/** Requests to a brain, and the providers that the tests send them through. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { brainFromModel } from '../../src/ai-sdk.ts';
import type { Brain, BrainRequest } from '../../src/brain/brain.ts';
import type { ToolDefinition } from '../../src/call/tool-definition.ts';

export const weatherTool: ToolDefinition = {
  name: 'weather',
  description: 'Gives the weather.',
  inputSchema: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

/** A request with one message of a user, changed by `change`. */
export function requestWith(change: Partial<BrainRequest> = {}): BrainRequest {
  return {
    instructions: 'Be brief.',
    items: [{ kind: 'user', text: 'How is the weather in San Francisco?' }],
    tools: [weatherTool],
    settings: {},
    signal: new AbortController().signal,
    ...change,
  };
}

export const testKey = 'sk-test-0123456789abcdef';

export function compatibleBrain(baseURL: string): Brain {
  return brainFromModel(createOpenAICompatible({ name: 'local', baseURL, apiKey: testKey })('some-model'));
}

export function openAiBrain(baseURL: string): Brain {
  return brainFromModel(createOpenAI({ baseURL, apiKey: testKey })('gpt-5'));
}

export function anthropicBrain(baseURL: string): Brain {
  return brainFromModel(createAnthropic({ baseURL, apiKey: testKey })('claude-sonnet-4-5'));
}
