// A value of a document from outside, of which nothing is taken for granted. What is wrong with it is
// said with its place: `steps[3].who is no number from zero on`.

import type { Temperature } from "./story";

/** Why a text is no story. */
export class DocumentError extends Error {}

/** A value of the document, and where it stands. */
export class Node {
  constructor(
    private readonly value: unknown,
    private readonly place: string,
  ) {}

  wrong(why: string): DocumentError {
    return new DocumentError(`${this.place || "the document"} ${why}`);
  }

  get isThere(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  field(name: string): Node {
    if (typeof this.value !== "object" || this.value === null || Array.isArray(this.value)) {
      throw this.wrong("is no object");
    }
    const value = Object.hasOwn(this.value, name)
      ? (this.value as Record<string, unknown>)[name]
      : undefined;
    return new Node(value, this.place ? `${this.place}.${name}` : name);
  }

  list<T>(name: string, read: (node: Node, at: number) => T): T[] {
    const node = this.field(name);
    if (!node.isThere) return [];
    if (!Array.isArray(node.value)) throw node.wrong("is no list");
    return node.value.map((value, at) => read(new Node(value, `${node.place}[${at}]`), at));
  }

  text(name: string): string {
    const node = this.field(name);
    if (typeof node.value !== "string") throw node.wrong("is no text");
    return node.value;
  }

  maybeText(name: string): string | undefined {
    return this.field(name).isThere ? this.text(name) : undefined;
  }

  flag(name: string): boolean {
    return this.field(name).value === true;
  }

  number(name: string): number {
    return this.field(name).asNumber();
  }

  /** Two texts, as the ends of a link. */
  asPair(): [string, string] {
    const { value } = this;
    if (!Array.isArray(value) || value.length !== 2) throw this.wrong("is no pair");
    const [one, other] = value as unknown[];
    if (typeof one !== "string" || typeof other !== "string") throw this.wrong("is no pair of texts");
    return [one, other];
  }

  asNumber(): number {
    const { value } = this;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
      throw this.wrong("is no number from zero on");
    }
    return value;
  }

  fraction(name: string): number {
    const node = this.field(name);
    if (typeof node.value !== "number") throw node.wrong("is no number");
    return node.value;
  }

  maybeNumber(name: string): number | undefined {
    return this.field(name).isThere ? this.number(name) : undefined;
  }

  /** A position in a list that has so many entries. */
  position(name: string, many: number): number {
    return this.field(name).asPosition(many);
  }

  asPosition(many: number): number {
    const at = this.asNumber();
    if (at >= many) {
      throw this.wrong(`is ${at}, but there are only ${many} of them, from 0 on`);
    }
    return at;
  }

  maybePosition(name: string, many: number): number | undefined {
    return this.field(name).isThere ? this.position(name, many) : undefined;
  }

  temperature(name: string): Temperature {
    const word = this.text(name);
    if (word !== "hot" && word !== "warm" && word !== "cold") {
      throw this.field(name).wrong("is none of hot, warm and cold");
    }
    return word;
  }
}

/** The position of the step with a number, or of the next one; nothing after the last. */
export type At = (number: number | undefined) => number | undefined;
