const encoder = new TextEncoder();

/** Returns the 64-bit FNV-1a hash of a text in UTF-8, as 16 hexadecimal digits. The product with the prime 2^40 + 0x1b3 is computed in
 * limbs of 16 bits, so that all intermediate values are exact integers. */
export function digest(text: string): string {
  let [a, b, c, d] = [0x2325, 0x8422, 0x9ce4, 0xcbf2]; // lowest limb first
  for (const byte of encoder.encode(text)) {
    a ^= byte;
    const low = a * 0x1b3;
    const second = b * 0x1b3 + (low >>> 16);
    const third = c * 0x1b3 + ((a << 8) & 0xffff) + (second >>> 16);
    const fourth = d * 0x1b3 + (a >>> 8) + ((b << 8) & 0xffff) + (third >>> 16);
    a = low & 0xffff;
    b = second & 0xffff;
    c = third & 0xffff;
    d = fourth & 0xffff;
  }
  return [d, c, b, a].map((limb) => limb.toString(16).padStart(4, "0")).join("");
}
