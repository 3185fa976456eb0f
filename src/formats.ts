/** `axle/formats`: the tool-call formats of OpenAI and Anthropic, in and out, and a call of your own loop given to an Axle. */
export {
  openAiChat,
  type OpenAiChatAnswer,
  type OpenAiChatResult,
  type OpenAiChatTool,
} from './formats/openai-chat.ts';
export {
  openAiResponses,
  type OpenAiResponsesCall,
  type OpenAiResponsesResult,
  type OpenAiResponsesTool,
} from './formats/openai-responses.ts';
export {
  type AnthropicAnswer,
  anthropicMessages,
  type AnthropicResult,
  type AnthropicTool,
} from './formats/anthropic.ts';
export type { FormatCall, FormatResult, ToolFormat } from './formats/tool-format.ts';
export { type CallEnd, type CallTaker, giveCall, type GiveOptions } from './formats/give-call.ts';
