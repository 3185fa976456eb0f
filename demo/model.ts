/** Which model drives the demo: a real one when a key is there, else the scripted one on the loopback. */
import process from 'node:process';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { AiSdkModel } from '../src/ai-sdk.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const defaults = { openai: 'gpt-5', anthropic: 'claude-sonnet-4-5' } as const;

/**
 * The real model that the environment asks for, or undefined when it asks for none.
 * `AXLE_MODEL` names it as `provider/model`; without it, `OPENAI_API_KEY` or `ANTHROPIC_API_KEY` chooses the provider.
 *
 * @throws Error when `AXLE_MODEL` names a provider that the demo does not know.
 */
export function realModel(environment: Environment = process.env): AiSdkModel | undefined {
  const { AXLE_MODEL: named, OPENAI_API_KEY: openAiKey, ANTHROPIC_API_KEY: anthropicKey } = environment;
  if (isSet(named)) {
    const [provider, ...rest] = named.split('/');
    const modelId = rest.join('/');
    if (modelId !== '' && provider === 'openai') return openAi(modelId, openAiKey);
    if (modelId !== '' && provider === 'anthropic') return anthropic(modelId, anthropicKey);
    throw new Error(`AXLE_MODEL is ${JSON.stringify(named)}; write openai/<model> or anthropic/<model>.`);
  }
  if (isSet(openAiKey)) return openAi(defaults.openai, openAiKey);
  if (isSet(anthropicKey)) return anthropic(defaults.anthropic, anthropicKey);
  return undefined;
}

/** The real model when the environment asks for one, else the scripted model that `model-server.ts` serves at `loopbackUrl`. */
export function chooseModel(loopbackUrl: string, environment: Environment = process.env): AiSdkModel {
  return realModel(environment) ?? createOpenAICompatible({ name: 'scripted', baseURL: loopbackUrl })('travel-memo');
}

function openAi(modelId: string, apiKey: string | undefined): AiSdkModel {
  return createOpenAI(isSet(apiKey) ? { apiKey } : {})(modelId);
}

function anthropic(modelId: string, apiKey: string | undefined): AiSdkModel {
  return createAnthropic(isSet(apiKey) ? { apiKey } : {})(modelId);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}
