// Pure: what an e-mail address looks like in a header.

/** RFC 5321 §4.5.3.1.3: a path has 256 octets including its angle brackets. */
export const ADDRESS_CHARACTERS_MAX = 254;
/** Exactly one address for any parser: no blanks, control characters, commas or brackets. */
export const ADDRESS = /^[^\p{Cc}\s<>,;:"()[\]\\@]{1,64}@[^\p{Cc}\s<>,;:"()[\]\\@]{1,255}$/u;
