/** Files that bugs of several kinds are planted in. */
export const driver = 'src/run/run-driver.ts';
export const machine = 'src/run/call-machine.ts';
export const perform = 'src/run/perform.ts';
export const evolveCall = 'src/run/evolve-call.ts';
export const disk = 'test/simulation/store/fake-disk.ts';
