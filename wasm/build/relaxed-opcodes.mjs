// Debian 12's binaryen knows the relaxed SIMD instructions of the first draft, with other numbers than the standard gave them. To have
// it shrink a module with the standard's, they are renumbered to drafts that take and give the same types, and back afterwards.
// Instructions of the draft are in no module that goes in, so that the way back is unambiguous.

/** Standard number and draft number after the prefix 0xfd. Both take two bytes as LEB128, so that nothing moves. */
const PAIRS = [
  [0x105, 0xaf], // f32x4.relaxed_madd; in the draft f32x4.fma
  [0x113, 0xb0], // i32x4.relaxed_dot_i8x16_i7x16_add_s; in the draft f32x4.fms
  [0x112, 0xb4], // i16x8.relaxed_dot_i8x16_i7x16_s; in the draft f32x4.relaxed_min
];
const STANDARD = new Map(PAIRS);
const DRAFT = new Map(PAIRS.map(([standard, draft]) => [draft, standard]));

/** The first number that the standard gave to relaxed SIMD. */
const FIRST_RELAXED = 0x100;

/** The module with draft numbers. @throws when it holds drafts already, or an instruction of relaxed SIMD that has no pair. */
export function toDraft(module) {
  return renumber(module, (number) => {
    if (DRAFT.has(number))
      throw new Error(`the module already holds the draft instruction 0xfd 0x${number.toString(16)}`);
    if (number >= FIRST_RELAXED && !STANDARD.has(number)) {
      throw new Error(`no draft is known for the relaxed instruction 0xfd 0x${number.toString(16)}`);
    }
    return STANDARD.get(number);
  });
}

/** The module with the standard's numbers. */
export function fromDraft(module) {
  return renumber(module, (number) => DRAFT.get(number));
}

function renumber(module, change) {
  const bytes = Uint8Array.from(module);
  const reader = new Reader(bytes, 8);
  while (reader.at < bytes.length) {
    const section = reader.byte();
    const size = reader.u32();
    const end = reader.at + size;
    if (section === CODE) for (let count = reader.u32(); count > 0; count--) renumberFunction(reader, bytes, change);
    reader.at = end;
  }
  return bytes;
}

function renumberFunction(reader, bytes, change) {
  const size = reader.u32();
  const end = reader.at + size;
  for (let groups = reader.u32(); groups > 0; groups--) {
    reader.u32();
    reader.byte();
  }
  while (reader.at < end) {
    const opcode = reader.byte();
    if (opcode !== SIMD) {
      reader.skipImmediates(opcode);
      continue;
    }
    const start = reader.at;
    const number = reader.u32();
    const other = change(number);
    if (other !== undefined) bytes.set([(other & 0x7f) | 0x80, other >> 7], start);
    reader.skipSimdImmediates(number);
  }
  if (reader.at !== end) throw new Error("a function of the module could not be read to its end");
}

const CODE = 10;
const SIMD = 0xfd;

/** Reads WebAssembly's binary format as far as telling one instruction from the next takes. */
class Reader {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }
  byte() {
    return this.bytes[this.at++];
  }
  u32() {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  }
  /** `count` numbers in LEB128 of whatever width. */
  skipNumbers(count) {
    for (; count > 0; count--) while (this.byte() >= 0x80);
  }
  skipImmediates(opcode) {
    if (opcode >= 0x28 && opcode <= 0x3e) return this.skipNumbers(2); // loads and stores: alignment and offset
    if (opcode >= 0x45 && opcode <= 0xc4) return; // numeric
    const numbers = NUMBERS[opcode];
    if (numbers !== undefined) return this.skipNumbers(numbers);
    switch (opcode) {
      case 0x0e: // br_table
        return this.skipNumbers(this.u32() + 1);
      case 0x1c: // select with types
        return this.skipNumbers(this.u32());
      case 0x43: // f32.const
        this.at += 4;
        return;
      case 0x44: // f64.const
        this.at += 8;
        return;
      case 0xfc: {
        const number = this.u32();
        if (number > 17) throw unknown(opcode, number);
        return this.skipNumbers(number < 8 ? 0 : [8, 10, 12, 14].includes(number) ? 2 : 1);
      }
      case 0xfe: {
        const number = this.u32();
        return this.skipNumbers(number === 3 ? 1 : 2); // a fence; else alignment and offset
      }
      default:
        throw unknown(opcode);
    }
  }
  skipSimdImmediates(number) {
    if (number <= 11 || number === 92 || number === 93)
      this.skipNumbers(2); // loads and stores
    else if (number === 12 || number === 13)
      this.at += 16; // v128.const, i8x16.shuffle
    else if (number >= 21 && number <= 34)
      this.at += 1; // lanes
    else if (number >= 84 && number <= 91) {
      this.skipNumbers(2);
      this.at += 1; // loads and stores of lanes
    }
  }
}

/** How many numbers follow an opcode. Block types, indices, depths, integer constants. */
const NUMBERS = Object.fromEntries([
  ...[0x00, 0x01, 0x05, 0x0b, 0x0f, 0x19, 0x1a, 0x1b, 0xd1].map((opcode) => [opcode, 0]),
  ...[0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x10, 0x12, 0x18].map((opcode) => [opcode, 1]),
  ...[0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x3f, 0x40, 0x41, 0x42, 0xd0, 0xd2].map((opcode) => [opcode, 1]),
  ...[0x11, 0x13].map((opcode) => [opcode, 2]),
]);

function unknown(...codes) {
  return new Error(`the instruction ${codes.map((code) => `0x${code.toString(16)}`).join(" ")} is not known here`);
}
