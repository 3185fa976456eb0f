/** Another process on the same store: it starts runs, and is the person who answers, truthfully, by what the ledger says. Started and killed by the harness. */
import { createAxle } from '../../../src/axle.ts';
import { Person } from './person.ts';
import { runProgram } from './program.ts';

runProgram(async ({ options, tools, agents, ledger }) => {
  const axle = await createAxle({ store: options.storePath, role: 'client', tools, agents });
  new Person(axle, ledger).begin();
  return axle;
});
