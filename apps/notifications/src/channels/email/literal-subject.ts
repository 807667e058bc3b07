import { encodeWord } from 'nodemailer/lib/mime-funcs';

/** Mail programs decode RFC 2047's encoded words, so a subject that looks like one is encoded. */
export function literalSubject(subject: string): string {
  return subject.includes('=?') ? encodeWord(subject, 'B', ENCODED_WORD_CHARACTERS) : subject;
}
const ENCODED_WORD_CHARACTERS = 52;
