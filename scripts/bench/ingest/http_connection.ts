/** A POST of events. */
export interface HttpMessage {
  /** Body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Headers beside those of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A connection to an ingest, with one request at a time. */
export interface HttpConnection {
  /** Bytes of a request before its body, as a rule. */
  readonly headBytes: number;
  /** Sends a request; returns the status of its answer. */
  send(message: HttpMessage): Promise<number>;
  /** Closes it. */
  close(): void;
}

/** Opens a connection. It speaks HTTP by itself, so that little of the machine goes into it. */
export async function connect(port: number, apiKey: string): Promise<HttpConnection> {
  let connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const buffer = new Uint8Array(65_536);
  const encoder = new TextEncoder();

  function buildHead({ body, headers }: HttpMessage): string {
    const lines = Object.entries({
      "Host": "127.0.0.1",
      "Content-Type": "application/json",
      "X-API-Key": apiKey,
      "X-Vendor-SDK-Version": "0.1.0",
      "Content-Length": String(body.byteLength),
      ...headers,
    }).map(([name, value]) => `${name}: ${value}`);
    return ["POST /v1/events HTTP/1.1", ...lines].join("\r\n") + "\r\n\r\n";
  }

  async function write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) written += await connection.write(bytes.subarray(written));
  }

  async function readAnswer(): Promise<string> {
    let text = "";
    for (;;) {
      const count = await connection.read(buffer);
      if (count === null) throw new Error("the server closed the connection");
      text += new TextDecoder().decode(buffer.subarray(0, count));
      const end = text.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
      if (end >= 0 && text.length >= end + 4 + length) return text;
    }
  }

  return {
    headBytes:
      buildHead({ body: new Uint8Array(), headers: { "Content-Encoding": "gzip", "X-Forwarded-For": "198.51.100.7" } })
        .length,
    async send(message): Promise<number> {
      const head = encoder.encode(buildHead(message));
      const bytes = new Uint8Array(head.length + message.body.length);
      bytes.set(head);
      bytes.set(message.body, head.length);
      await write(bytes);
      const text = await readAnswer();
      // Answers whose connection the server closes are the last of theirs.
      if (/^connection: close/im.test(text)) {
        connection.close();
        connection = await Deno.connect({ hostname: "127.0.0.1", port });
      }
      return Number(text.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
    },
    close: () => connection.close(),
  };
}
