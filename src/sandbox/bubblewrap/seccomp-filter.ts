/**
 * A filter of system calls, as the classic BPF program that the kernel takes: it looks at the number of a call and at some arguments, and refuses what
 * reaches for the machine.
 *
 * Y1 Calls of another architecture, and of the 32-bit flavour of x86-64 (x32), are refused: their numbers mean something else.
 * Y2 What is refused fails with an error that a program can live with; nothing is ended for trying.
 */
import { callNumbers } from './system-calls.ts';

/** One instruction: jumps count instructions from the next one on. */
interface Instruction {
  readonly code: number;
  readonly whenTrue?: number;
  readonly whenFalse?: number;
  readonly value: number;
}

const loadWord = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const giveBack = 0x06;

const allow = 0x7fff0000;
const fail = (errorNumber: number): number => 0x00050000 + errorNumber;
const notPermitted = fail(1);
const noSuchCall = fail(38);
const noSuchFamily = fail(97);

/** Offsets in `struct seccomp_data`: the number of the call, the architecture, and the lower half of each argument. */
const offset = { call: 0, architecture: 4, first: 16, second: 24 } as const;

const x32Bit = 0x40000000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const namespaceFlags = 0x7e020000;
/** TIOCSTI and TIOCLINUX put characters into the input of a terminal. */
const terminalRequests = [0x5412, 0x541c];
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: all of them belong to the network namespace. AF_VSOCK, for example, does not, and reaches the host of a virtual machine. */
const families = [1, 2, 10, 16];

const returns = (value: number): Instruction => ({ code: giveBack, value });
const load = (value: number): Instruction => ({ code: loadWord, value });

/** `then` when the loaded word equals `value`. */
const ifEqual = (value: number, then: readonly Instruction[]): readonly Instruction[] => [
  { code: jumpIfEqual, whenTrue: 0, whenFalse: then.length, value },
  ...then,
];

/** The filter for an architecture, as Node names it. Undefined when its call numbers are not known here. */
export function seccompFilter(architecture: string): Uint8Array | undefined {
  const numbers = callNumbers[architecture];
  if (numbers === undefined) return undefined;
  return assemble([
    load(offset.architecture),
    { code: jumpIfEqual, whenTrue: 1, whenFalse: 0, value: numbers.architecture },
    returns(notPermitted),
    load(offset.call),
    ...(architecture === 'x64'
      ? [{ code: jumpIfAtLeast, whenTrue: 0, whenFalse: 1, value: x32Bit }, returns(notPermitted)]
      : []),
    ...numbers.refused.flatMap((call) => ifEqual(call, [returns(notPermitted)])),
    ...ifEqual(numbers.clone3, [returns(noSuchCall)]),
    ...ifEqual(numbers.clone, [
      load(offset.first),
      { code: jumpIfAnyBit, whenTrue: 0, whenFalse: 1, value: namespaceFlags },
      returns(notPermitted),
      returns(allow),
    ]),
    ...ifEqual(numbers.ioctl, [
      load(offset.second),
      ...terminalRequests.flatMap((request) => ifEqual(request, [returns(notPermitted)])),
      returns(allow),
    ]),
    ...ifEqual(numbers.socket, [
      load(offset.first),
      ...families.flatMap((family) => ifEqual(family, [returns(allow)])),
      returns(noSuchFamily),
    ]),
    returns(allow),
  ]);
}

function assemble(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, { code, whenTrue = 0, whenFalse = 0, value }] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
