// A TCP connection's middle: it passes on, holds answers back, and cuts.

import { connect, createServer, type Server, type Socket } from "node:net";

/** A wire to an address. */
export class Wire {
  /** Where its near end is. */
  address = "";
  /** How often it was connected to. */
  opened = 0;
  /** Where its far end goes. */
  target: { host: string; port: number };
  /** The answers that were lost. */
  readonly lost: Buffer[] = [];
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #held: (() => void)[] = [];
  #holding = false;
  #marker = Buffer.from("");
  #times = 0;

  constructor(address: string) {
    const [host = "", port] = address.split(":");
    this.target = { host, port: Number(port) };
  }

  /** Begins to listen. */
  async open(): Promise<void> {
    this.#server = createServer((near) => this.#connected(near));
    await new Promise<void>((resolve) => this.#server?.listen(0, "127.0.0.1", resolve));
    const bound = this.#server.address();
    this.address = `127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`;
  }

  /** Ends it. */
  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  /** Breaks all connections; answers held back are lost. */
  cut(): void {
    this.#held.length = 0;
    for (const socket of this.#sockets) {
      socket.resetAndDestroy();
    }
    this.#sockets.clear();
  }

  /** Lets requests through and nothing back. */
  holdAnswers(): void {
    this.#holding = true;
  }

  /** Is a wire again. */
  letAnswersPass(): void {
    this.#holding = false;
    for (const pass of this.#held.splice(0)) {
      pass();
    }
  }

  /** Loses the next so many answers that hold this text, cutting the connection each time. */
  lose(marker: string, times: number): void {
    this.#marker = Buffer.from(marker);
    this.#times = times;
    this.lost.length = 0;
  }

  #connected(near: Socket): void {
    this.opened += 1;
    const far = connect(this.target.port, this.target.host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    near.on("data", (data) => far.write(data));
    far.on("data", (data) => {
      if (this.lost.length < this.#times && data.includes(this.#marker)) {
        this.lost.push(data);
        near.resetAndDestroy();
      } else if (this.#holding) {
        this.#held.push(() => near.write(data));
      } else {
        near.write(data);
      }
    });
  }
}
