// Texts that may hold bytes that are not UTF-8, such as those of an image. Each such byte is half of a
// surrogate pair in the string (U+DC80 to U+DCFF), as in Python, so it comes back as it was.
import { isUtf8 } from 'node:buffer';

const ESCAPE = 0xdc00;

// Returns the size of the character that a byte begins; 0 for none.
function sizeAt(byte) {
  if (byte < 0x80) return 1;
  if (byte < 0xc2) return 0;
  if (byte < 0xe0) return 2;
  if (byte < 0xf0) return 3;
  return byte < 0xf5 ? 4 : 0;
}

/** Returns bytes as a string. */
export function decoded(bytes) {
  if (isUtf8(bytes)) return bytes.toString();
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + sizeAt(bytes[at]));
    const isWhole = piece.length > 0 && isUtf8(piece);
    text += isWhole ? piece.toString() : String.fromCharCode(ESCAPE + bytes[at]);
    at += isWhole ? piece.length : 1;
  }
  return text;
}

/** Returns a string as bytes. Other halves of pairs become U+FFFD. */
export function encoded(text) {
  if (text.isWellFormed()) return Buffer.from(text);
  const pieces = text.split(/([\udc80-\udcff])/u);  // With `u` a half of a whole pair does not match.
  return Buffer.concat(pieces.map((piece, index) =>
    index % 2 === 1 ? Buffer.of(piece.charCodeAt(0) - ESCAPE) : Buffer.from(piece)));
}
