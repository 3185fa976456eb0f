/**
 * The tables of the airline as the performed writes leave them, and the hash of what changed.
 *
 * The recording does not hold the tables. It holds every reservation after each write to it (a write answers with the whole record) and the customers' records
 * before (`get_user_details`; one that no call shows is in data/tau_airline_users.json). What a write does to a customer is put together here after the
 * benchmark's rules, in our own words:
 * - a booking adds its number to the customer, takes its amounts from gift cards and uses certificates up;
 * - a change of flights or baggage takes (or gives back) on a gift card what it added to the reservation's payments;
 * - a certificate is added under the id that the answer names. A cancellation leaves the customer as he is.
 *
 * T1 The difference is each changed record as it stands at the end, by table and key. Its hash is the benchmark's: SHA-256 of Python's JSON with sorted keys,
 *    16 hex digits.
 * T2 Writes are applied as often as they were performed: one that ran twice leaves another customer, and so another hash, wherever it cost him money.
 *
 * In the recording an address has a `province`; the tables, and therefore the recorded hash, say `state`.
 */
import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue, toJson } from '../../../src/util/json.ts';
import { readUnshownUsers, type RecordedCall, type Recording } from './recording.ts';

/** A user's record as far as the rules touch it; the rest is carried along. */
interface User extends JsonObject {
  readonly payment_methods: Readonly<Record<string, JsonObject>>;
  readonly reservations: readonly string[];
}

interface Reservation extends JsonObject {
  readonly reservation_id: string;
  readonly user_id: string;
  readonly payment_history: readonly Payment[];
}

interface Payment extends JsonObject {
  readonly payment_id: string;
  readonly amount: number;
}

export class AirlineTables {
  readonly #recording: Recording;
  readonly #unshown = readUnshownUsers();
  readonly #reservations = new Map<string, Reservation>();
  readonly #users = new Map<string, User>();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Applies a write that succeeded. */
  apply(call: RecordedCall): void {
    if (call.name === 'send_certificate') {
      this.#addCertificate(call);
      return;
    }
    const reservation = reservationOf(call);
    this.#reservations.set(reservation.reservation_id, reservation);
    if (call.name === 'book_reservation') this.#book(call, reservation);
    else if (call.name.startsWith('update_')) this.#payForChange(call, reservation);
  }

  /** Keys of the changed records, by table. */
  get changedKeys(): Readonly<Record<string, readonly string[]>> {
    const tables = { reservations: [...this.#reservations.keys()], users: [...this.#users.keys()] };
    return Object.fromEntries(Object.entries(tables).filter(([, keys]) => keys.length > 0));
  }

  /** The hash of what changed (T1). */
  get differenceHash(): string {
    const tables = { reservations: Object.fromEntries(this.#reservations), users: Object.fromEntries(this.#users) };
    const changed = Object.fromEntries(Object.entries(tables).filter(([, records]) => Object.keys(records).length > 0));
    return createHash('sha256')
      .update(pythonJson(toJson(changed)))
      .digest('hex')
      .slice(0, 16);
  }

  #addCertificate(call: RecordedCall): void {
    const answer = /^Certificate (?<id>\S+) added to user (?<userId>\S+) with amount (?<amount>\d+)\.$/u.exec(
      call.content,
    );
    const { id, userId, amount } = answer?.groups ?? {};
    if (id === undefined || userId === undefined) throw new Error(`${call.id} added no certificate.`);
    const user = this.#user(userId);
    const certificate = { source: 'certificate', amount: Number(amount), id };
    this.#users.set(userId, { ...user, payment_methods: { ...user.payment_methods, [id]: certificate } });
  }

  #book(call: RecordedCall, reservation: Reservation): void {
    let user = this.#user(reservation.user_id);
    // What is paid with is in the request; the answer repeats it.
    for (const payment of paymentsOf(call.input['payment_methods'])) user = paidBy(user, payment);
    this.#users.set(reservation.user_id, { ...user, reservations: [...user.reservations, reservation.reservation_id] });
  }

  #payForChange(call: RecordedCall, reservation: Reservation): void {
    const before = this.#recording.calls
      .slice(0, this.#recording.calls.indexOf(call))
      .filter((earlier) => earlier.content.startsWith(`{"reservation_id": "${reservation.reservation_id}"`))
      .at(-1);
    if (before === undefined) throw new Error(`What ${call.id} changed was never shown.`);
    const added = reservation.payment_history.slice(reservationOf(before).payment_history.length);
    // A card is charged elsewhere, and its owner's record need not be known.
    for (const payment of added.filter(({ payment_id: id }) => id.startsWith('gift_card'))) {
      this.#users.set(reservation.user_id, paidBy(this.#user(reservation.user_id), payment));
    }
  }

  #user(userId: string): User {
    const known = this.#users.get(userId);
    if (known !== undefined) return known;
    const shown = this.#recording.calls.find(
      ({ name, input }) => name === 'get_user_details' && input['user_id'] === userId,
    );
    const user = shown === undefined ? this.#unshown.get(userId) : withState(toJson(JSON.parse(shown.content)));
    if (!isUser(user)) throw new Error(`The record of ${userId} is neither in the recording nor beside it.`);
    return user;
  }
}

/** A user after a payment: a card is charged elsewhere, a gift card has less, a certificate is used up. */
function paidBy(user: User, { payment_id: id, amount }: Payment): User {
  const method = user.payment_methods[id];
  if (method === undefined) throw new Error(`The customer has no payment method ${id}.`);
  if (method['source'] === 'gift_card') {
    const left = { ...method, amount: Number(method['amount']) - amount };
    return { ...user, payment_methods: { ...user.payment_methods, [id]: left } };
  }
  if (method['source'] !== 'certificate') return user;
  const { [id]: _used, ...others } = user.payment_methods;
  return { ...user, payment_methods: others };
}

function reservationOf(call: RecordedCall): Reservation {
  const value = toJson(JSON.parse(call.content));
  if (!isReservation(value)) throw new Error(`${call.id} did not answer with a reservation.`);
  return value;
}

function paymentsOf(value: JsonValue | undefined): readonly Payment[] {
  if (!Array.isArray(value) || !value.every(isPayment)) throw new Error('A booking is paid with a list of payments.');
  return value;
}

function isPayment(value: JsonValue): value is Payment {
  return isJsonObject(value) && typeof value['payment_id'] === 'string' && typeof value['amount'] === 'number';
}

function isReservation(value: JsonValue): value is Reservation {
  return isJsonObject(value) && typeof value['user_id'] === 'string' && Array.isArray(value['payment_history']);
}

function isUser(value: JsonValue | undefined): value is User {
  return isJsonObject(value) && isJsonObject(value['payment_methods']) && Array.isArray(value['reservations']);
}

function withState(user: JsonValue): JsonValue {
  if (!isJsonObject(user) || !isJsonObject(user['address'])) return user;
  const { province, ...rest } = user['address'];
  return province === undefined ? user : { ...user, address: { ...rest, state: province } };
}

/** JSON as Python's `json.dumps(value, sort_keys=True)` writes it: a space after comma and colon, ASCII only. */
function pythonJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => pythonJson(item)).join(', ')}]`;
  if (isJsonObject(value)) {
    const pairs = Object.keys(value)
      .toSorted()
      .map((key) => `${pythonJson(key)}: ${pythonJson(value[key] ?? null)}`);
    return `{${pairs.join(', ')}}`;
  }
  return JSON.stringify(value).replaceAll(/[^ -~]/gu, (character) =>
    Array.from({ length: character.length }, (_, place) => escapedUnit(character.charCodeAt(place))).join(''),
  );
}

function escapedUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
