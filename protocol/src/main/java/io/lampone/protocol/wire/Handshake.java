package io.lampone.protocol.wire;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The frames by which two ends agree on a version before any request is executed. */
public sealed interface Handshake {

  /** Writes this as a complete frame. */
  void writeTo(FrameWriter writer);

  /**
   * The client's first frame.
   *
   * @param lowestVersion the oldest version that the client supports
   * @param highestVersion the newest version that the client supports
   * @param capabilities the client's {@link Capabilities}
   * @param credential the identity that the client claims, see {@link Identity}; empty = none
   */
  record Hello(int lowestVersion, int highestVersion, long capabilities, Bytes credential)
      implements Handshake {

    /** Returns the hello of this code's version, with the mandatory capability. */
    public static Hello current() {
      return new Hello(
          FrameLayout.LOWEST_VERSION, FrameLayout.VERSION, Capabilities.OWNERSHIP, Bytes.EMPTY);
    }

    @Override
    public void writeTo(FrameWriter writer) {
      if (credential.length() > FrameLayout.MAX_CREDENTIAL_BYTES) {
        throw new MalformedException("credential too long, bytes=" + credential.length());
      }
      writer.start(FrameKind.HELLO);
      writer.i32(FrameLayout.MAGIC).u16(lowestVersion).u16(highestVersion).i64(capabilities);
      writer.u16(credential.length()).bytes(credential.unsafeArray());
    }

    /** Reads a hello. */
    public static Hello readFrom(FrameReader reader) {
      begin(reader, FrameKind.HELLO);
      int lowest = reader.u16();
      int highest = reader.u16();
      long capabilities = reader.i64();
      Bytes credential = Bytes.wrap(reader.bytes(reader.u16()));
      reader.end();
      return new Hello(lowest, highest, capabilities, credential);
    }
  }

  /**
   * The server's acceptance.
   *
   * @param version the version agreed on
   * @param capabilities the bits that both have
   * @param epoch the epoch of the primary that answers
   * @param maxFrameBytes maximum frame length that the server accepts, head included
   * @param maxMessages maximum number of requests in a frame
   */
  record Welcome(int version, long capabilities, long epoch, int maxFrameBytes, int maxMessages)
      implements Handshake {

    @Override
    public void writeTo(FrameWriter writer) {
      writer.start(FrameKind.WELCOME);
      writer.i32(FrameLayout.MAGIC).u16(version).i64(capabilities).i64(epoch);
      writer.i32(maxFrameBytes).i32(maxMessages);
    }

    /** Reads a welcome. */
    public static Welcome readFrom(FrameReader reader) {
      begin(reader, FrameKind.WELCOME);
      int version = reader.u16();
      long capabilities = reader.i64();
      long epoch = reader.i64();
      int maxFrameBytes = reader.i32();
      int maxMessages = reader.i32();
      reader.end();
      if (maxFrameBytes < FrameLayout.LOWEST_MAX_FRAME_BYTES
          || maxFrameBytes > FrameLayout.HIGHEST_MAX_FRAME_BYTES
          || maxMessages < 1) {
        throw new MalformedException(
            "limits out of range, maxFrameBytes=" + maxFrameBytes + " maxMessages=" + maxMessages);
      }
      return new Welcome(version, capabilities, epoch, maxFrameBytes, maxMessages);
    }
  }

  /**
   * The server's refusal, after which it closes the connection.
   *
   * @param reason the reason
   * @param lowestVersion the oldest version that the server supports
   * @param highestVersion the newest version that the server supports
   * @param text explanation for people
   */
  record Reject(Reason reason, int lowestVersion, int highestVersion, String text)
      implements Handshake {

    @Override
    public void writeTo(FrameWriter writer) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      byte[] cut = Arrays.copyOf(bytes, Math.min(bytes.length, FrameLayout.MAX_TEXT_BYTES));
      writer.start(FrameKind.REJECT);
      writer.i32(FrameLayout.MAGIC).u8(reason.code()).u16(lowestVersion).u16(highestVersion);
      writer.u16(cut.length).bytes(cut);
    }

    /** Reads a reject. */
    public static Reject readFrom(FrameReader reader) {
      begin(reader, FrameKind.REJECT);
      Reason reason = Reason.ofCode(reader.u8());
      int lowest = reader.u16();
      int highest = reader.u16();
      String text = new String(reader.bytes(reader.u16()), StandardCharsets.UTF_8);
      reader.end();
      return new Reject(reason, lowest, highest, text);
    }
  }

  /**
   * The server's demand that the client prove its identity.
   *
   * @param nonce {@link FrameLayout#NONCE_BYTES} random bytes, used once
   */
  record Challenge(Bytes nonce) implements Handshake {

    @Override
    public void writeTo(FrameWriter writer) {
      writer.start(FrameKind.CHALLENGE);
      writer.i32(FrameLayout.MAGIC).bytes(exactly(nonce, FrameLayout.NONCE_BYTES));
    }

    /** Reads a challenge. */
    public static Challenge readFrom(FrameReader reader) {
      begin(reader, FrameKind.CHALLENGE);
      Bytes nonce = Bytes.wrap(reader.bytes(FrameLayout.NONCE_BYTES));
      reader.end();
      return new Challenge(nonce);
    }
  }

  /**
   * The client's answer to a challenge; see {@link SharedSecret}.
   *
   * @param nonce {@link FrameLayout#NONCE_BYTES} random bytes chosen by the client, used once
   * @param mac code over both nonces that requires knowledge of the secret
   */
  record Proof(Bytes nonce, Bytes mac) implements Handshake {

    @Override
    public void writeTo(FrameWriter writer) {
      writer.start(FrameKind.PROOF);
      writer.i32(FrameLayout.MAGIC).bytes(exactly(nonce, FrameLayout.NONCE_BYTES));
      writer.bytes(exactly(mac, FrameLayout.MAC_BYTES));
    }

    /** Reads a proof. */
    public static Proof readFrom(FrameReader reader) {
      begin(reader, FrameKind.PROOF);
      Bytes nonce = Bytes.wrap(reader.bytes(FrameLayout.NONCE_BYTES));
      Bytes mac = Bytes.wrap(reader.bytes(FrameLayout.MAC_BYTES));
      reader.end();
      return new Proof(nonce, mac);
    }
  }

  /**
   * The server's proof that it knows the secret too, sent before the welcome.
   *
   * @param mac see {@link SharedSecret}
   */
  record Counterproof(Bytes mac) implements Handshake {

    @Override
    public void writeTo(FrameWriter writer) {
      writer.start(FrameKind.COUNTERPROOF);
      writer.i32(FrameLayout.MAGIC).bytes(exactly(mac, FrameLayout.MAC_BYTES));
    }

    /** Reads a counterproof. */
    public static Counterproof readFrom(FrameReader reader) {
      begin(reader, FrameKind.COUNTERPROOF);
      Bytes mac = Bytes.wrap(reader.bytes(FrameLayout.MAC_BYTES));
      reader.end();
      return new Counterproof(mac);
    }
  }

  /**
   * One step of the mechanism GSSAPI (RFC 4752). The server starts with step 0, which has no token;
   * then client and server alternate.
   *
   * @param step counts from 0 to {@link FrameLayout#LAST_SASL_STEP}
   * @param token at most {@link FrameLayout#MAX_SASL_TOKEN_BYTES}; may be empty
   */
  record Sasl(int step, Bytes token) implements Handshake {

    /** The step that requests the client's ticket. */
    public static final Sasl REQUEST = new Sasl(0, Bytes.EMPTY);

    /**
     * Checks the limits.
     *
     * @throws MalformedException if one is exceeded
     */
    public Sasl {
      if (step < 0
          || step > FrameLayout.LAST_SASL_STEP
          || token.length() > FrameLayout.MAX_SASL_TOKEN_BYTES) {
        throw new MalformedException(
            "SASL token beyond the limits, step=" + step + " bytes=" + token.length());
      }
    }

    @Override
    public void writeTo(FrameWriter writer) {
      writer.start(FrameKind.SASL);
      writer.i32(FrameLayout.MAGIC).u8(step).u16(token.length()).bytes(token.unsafeArray());
    }

    /** Reads a step. */
    public static Sasl readFrom(FrameReader reader) {
      begin(reader, FrameKind.SASL);
      int step = reader.u8();
      Bytes token = Bytes.wrap(reader.bytes(reader.u16()));
      reader.end();
      return new Sasl(step, token);
    }
  }

  /** Reason for refusing a client. */
  enum Reason {
    /** No version in common. */
    VERSION(1),
    /** This server is not the primary, or cannot prove it at the moment. */
    NOT_PRIMARY(2),
    /** The credential is not accepted. */
    CREDENTIAL(3),
    /** Too many connections. */
    FULL(4);

    private final int code;

    Reason(int code) {
      this.code = code;
    }

    int code() {
      return code;
    }

    static Reason ofCode(int code) {
      return switch (code) {
        case 1 -> VERSION;
        case 2 -> NOT_PRIMARY;
        case 3 -> CREDENTIAL;
        case 4 -> FULL;
        default -> throw new MalformedException("unknown reason of a reject, reason=" + code);
      };
    }
  }

  private static byte[] exactly(Bytes value, int bytes) {
    if (value.length() != bytes) {
      throw new MalformedException("wrong length, bytes=" + value.length() + " expected=" + bytes);
    }
    return value.unsafeArray();
  }

  private static void begin(FrameReader reader, FrameKind kind) {
    reader.expect(kind);
    int magic = reader.i32();
    if (magic != FrameLayout.MAGIC) {
      throw new MalformedException("wrong magic number, magic=" + magic);
    }
  }
}
