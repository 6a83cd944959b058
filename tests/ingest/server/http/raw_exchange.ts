/** What came back over a connection. */
export interface Exchanged {
  /** Everything that was received, as text. */
  readonly text: string;
}

/** Sends text over a connection of its own, and reads until the other end closes it, or the first piece alone. */
export async function exchange(
  port: number,
  text: string,
  { isFirstEnough = false }: { readonly isFirstEnough?: boolean } = {},
): Promise<Exchanged> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  let received = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(16_384);
  for (let count = await read(connection, buffer); count !== null; count = await read(connection, buffer)) {
    received += decoder.decode(buffer.subarray(0, count), { stream: true });
    if (isFirstEnough) break;
  }
  return { text: received };
}

async function read(connection: Deno.Conn, buffer: Uint8Array): Promise<number | null> {
  try {
    return await connection.read(buffer);
  } catch {
    // Closed with something of ours unread.
    return null;
  }
}
