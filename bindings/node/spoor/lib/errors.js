export class SpoorError extends Error {
  constructor(code, message, hint = '') {
    super(hint ? `${message} (hint: ${hint})` : message);
    this.name = 'SpoorError';
    this.code = code;
    this.hint = hint;
  }
}
