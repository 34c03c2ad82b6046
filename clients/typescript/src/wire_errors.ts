// From a failed call to the exception that it means.

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

import { DeadlineExceeded, InvalidRequest, KinpostError, Unreachable } from "./errors.js";
import { REFUSALS } from "./refusals.js";

const DOMAIN = "kinpost";
// Without details a call was cut off, not refused. Every call carries an identity, so that repeating it is safe.
const CUT_OFF: ReadonlySet<Code> = new Set([Code.Unavailable, Code.Canceled]);
// What a connection's end looks like from here, where no server said anything.
const BROKEN: ReadonlySet<Code> = new Set([Code.Unavailable, Code.Canceled, Code.Aborted]);
// A request that cannot be written was never sent.
const UNWRITTEN = /^serialize binary: cannot encode field [\w.]+\.(\w+) to binary: (.*)$/s;
const BROKEN_TEXT = /^http\/2 |^protocol error: (?:missing status|incomplete envelope)|^expected open session/;

/**
 * Returns the exception that a failed call means; what is no failure of a call is returned as it is.
 *
 * The class is found by the stable code in the failure's `google.rpc.ErrorInfo`; an unknown code gives `KinpostError`
 * itself. A failure without one did not come from a Kinpost server's own table: then the gRPC code tells.
 */
export function kinpostError(error: unknown): unknown {
  if (!(error instanceof ConnectError)) {
    return error;
  }
  const info = errorInfo(error);
  const code = info.metadata["code"];
  if (info.domain !== DOMAIN || !code) {
    return withoutDetails(error);
  }
  const known = REFUSALS.get(code);
  return new (known ?? KinpostError)(error.rawMessage || code, {
    code,
    reason: info.reason,
    transient: known === undefined ? error.code === Code.Unavailable : undefined,
    retryAfterSeconds: retrySeconds(error),
    metadata: info.metadata,
  });
}

function withoutDetails(error: ConnectError): KinpostError {
  const text = error.rawMessage;
  const [, field, why] = UNWRITTEN.exec(text) ?? [];
  if (field !== undefined) {
    return new InvalidRequest(`${InvalidRequest.CODE}: ${field}: ${why}`, { metadata: { field } });
  }
  const said = error.metadata.has("grpc-status");
  if (said ? CUT_OFF.has(error.code) : isBroken(error)) {
    return new Unreachable(text ? `${Unreachable.CODE}: ${text}` : "");
  }
  if (error.code === Code.DeadlineExceeded) {
    return new DeadlineExceeded();
  }
  const code = `grpc:${(Code[error.code] ?? "unknown").replace(/(?<!^)(?=[A-Z])/g, "_").toLowerCase()}`;
  return new KinpostError(`${code}: ${text}`, { code });
}

/** Whether a failure of which no server said anything is that of a connection, and not of what it carried. */
function isBroken(error: ConnectError): boolean {
  if (BROKEN.has(error.code) || BROKEN_TEXT.test(error.rawMessage)) {
    return true;
  }
  // Node's own errors bear codes such as EPIPE or ERR_HTTP2_SESSION_ERROR.
  return error.cause instanceof Error && typeof (error.cause as NodeJS.ErrnoException).code === "string";
}

// The two details are read by hand: they are four fields, and no generated package of theirs is needed for it.

interface ErrorInfo {
  reason: string;
  domain: string;
  metadata: Record<string, string>;
}

function errorInfo(error: ConnectError): ErrorInfo {
  const info: ErrorInfo = { reason: "", domain: "", metadata: {} };
  read(detail(error, "google.rpc.ErrorInfo"), (field, reader) => {
    if (field === 1) {
      info.reason = reader.string();
    } else if (field === 2) {
      info.domain = reader.string();
    } else if (field === 3) {
      let [key, value] = ["", ""];
      read(reader.bytes(), (part, entry) => {
        if (part === 1) {
          key = entry.string();
        } else {
          value = entry.string();
        }
      });
      info.metadata[key] = value;
    }
  });
  return info;
}

function retrySeconds(error: ConnectError): number | undefined {
  let delay: number | undefined;
  read(detail(error, "google.rpc.RetryInfo"), (field, reader) => {
    if (field === 1) {
      delay = 0;
      read(reader.bytes(), (part, duration) => {
        delay = (delay ?? 0) + (part === 1 ? Number(duration.int64()) : duration.int32() / 1e9);
      });
    }
  });
  return delay;
}

function detail(error: ConnectError, type: string): Uint8Array {
  for (const found of error.details) {
    if ("type" in found && found.type === type) {
      return found.value;
    }
  }
  return new Uint8Array();
}

/** Goes through the fields of a message that are numbered up to 3; newer ones are skipped. */
function read(bytes: Uint8Array, take: (field: number, reader: BinaryReader) => void): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field > 3 || (type !== WireType.LengthDelimited && type !== WireType.Varint)) {
      reader.skip(type, field);
    } else {
      take(field, reader);
    }
  }
}
