/** Forms that are sent in node. */

/** XMLHttpRequest as the page uses it, over the page's fetch. */
export class FormRequest {
  method = "";
  path = "";
  headers = {};
  upload = {};

  /** @param {(path: string, init: object) => Promise<Response>} fetch */
  constructor(fetch) {
    this.fetch = fetch;
    this.onload = this.onloadend = () => undefined;
  }

  open(method, path) {
    [this.method, this.path] = [method, path];
  }

  setRequestHeader(name, value) {
    this.headers[name] = value;
  }

  async send(body) {
    const { method, path, headers } = this;
    const reply = await this.fetch(path, { method, headers, body });
    const { status, statusText } = reply;
    Object.assign(this, { status, statusText, responseText: await reply.text() });
    this.onload();
    this.onloadend();
  }
}
