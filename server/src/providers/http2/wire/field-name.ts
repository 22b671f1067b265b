/** The format of a field name: a token in lower case (RFC 9110 section 5.6.2, RFC 9113 section 8.2.1). */
export const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/u;
