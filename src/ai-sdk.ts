/** `axle/ai-sdk`: models and tools of the AI SDK, accepted as they are. */
export { brainFromModel, type BrainOptions, isAiSdkModel } from './ai-sdk/brain-from-model.ts';
export type { AiSdkModel } from './ai-sdk/specification.ts';
export { type AiSdkTool, type DeclaredFacts, fromAiSdkTool } from './ai-sdk/from-ai-sdk-tool.ts';
