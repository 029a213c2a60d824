package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.charset.StandardCharsets;

/**
 * The last frame of the server on a connection: it will answer nothing more. A request without an
 * answer may or may not have been decided; sent again, it is decided once, as after a lost
 * connection.
 *
 * @param reason the reason
 * @param address {@code host:port} of the next primary if known; else empty
 */
public record GoAway(Reason reason, String address) {

  /** Reason for ending a connection. */
  public enum Reason {
    /** Another transaction manager has taken over, with the complete state of this one. */
    HANDED_OVER(1),
    /** This one stops, or the connection has reached its maximum age. */
    STOPPING(2);

    private final int code;

    Reason(int code) {
      this.code = code;
    }

    private static Reason ofCode(int code) {
      return switch (code) {
        case 1 -> HANDED_OVER;
        case 2 -> STOPPING;
        default -> throw new MalformedException("unknown reason of a goodbye, reason=" + code);
      };
    }
  }

  /** Writes this as a complete frame. */
  public void writeTo(FrameWriter writer) {
    byte[] bytes = address.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > FrameLayout.MAX_ADDRESS_BYTES) {
      throw new MalformedException("address too long, bytes=" + bytes.length);
    }
    writer.start(FrameKind.GOODBYE);
    writer.u8(reason.code).u16(bytes.length).bytes(bytes);
  }

  /** Reads a goodbye. */
  public static GoAway readFrom(FrameReader reader) {
    reader.expect(FrameKind.GOODBYE);
    Reason reason = Reason.ofCode(reader.u8());
    String address = new String(reader.bytes(reader.u16()), StandardCharsets.UTF_8);
    reader.end();
    return new GoAway(reason, address);
  }
}
