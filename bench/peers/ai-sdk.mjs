// The AI SDK's own loop. It stores nothing: what it costs is what Axle must stay below while it keeps a journal.
import { stepCountIs, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';

export async function open({ turns, tool: named, instructions, question, model, readPage }) {
  const agent = new ToolLoopAgent({
    model,
    instructions,
    tools: {
      [named.name]: tool({
        description: named.description,
        inputSchema: z.object({ page: z.number().int() }),
        execute: async () => readPage(),
      }),
    },
    stopWhen: stepCountIs(turns + 1),
  });
  return {
    run: async () => (await agent.generate({ prompt: question })).text,
    counters: () => ({}),
    close: async () => {},
  };
}
