// LangGraph.js with its SQLite saver, at synchronous=NORMAL like Axle. Its model is the same fake one behind LangChain's own base class.
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import Database from 'better-sqlite3';
import { z } from 'zod';

class FakeChat extends BaseChatModel {
  constructor(model) {
    super({});
    this.model = model;
  }
  _llmType() {
    return 'fake';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const { content } = await this.model.doGenerate({ prompt: messages });
    const [part] = content;
    const message =
      part.type === 'text'
        ? new AIMessage(part.text)
        : new AIMessage({
            content: '',
            tool_calls: [{ id: part.toolCallId, name: part.toolName, args: JSON.parse(part.input), type: 'tool_call' }],
          });
    return { generations: [{ text: part.text ?? '', message }] };
  }
}

export async function open({ path, turns, tool: named, instructions, question, model, readPage }) {
  const database = new Database(path);
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = NORMAL');
  const agent = createReactAgent({
    llm: new FakeChat(model),
    tools: [
      tool(async () => JSON.stringify(readPage()), {
        name: named.name,
        description: named.description,
        schema: z.object({ page: z.number().int() }),
      }),
    ],
    prompt: instructions,
    checkpointSaver: new SqliteSaver(database),
  });
  return {
    run: async (index) => {
      const state = await agent.invoke(
        { messages: [{ role: 'user', content: question }] },
        { configurable: { thread_id: `run-${index}` }, recursionLimit: 2 * turns + 10 },
      );
      return state.messages.at(-1).content;
    },
    counters: () => ({}),
    close: async () => {
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
}
