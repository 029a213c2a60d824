package io.lampone.protocol.wire;

import io.lampone.protocol.MalformedException;
import java.nio.charset.StandardCharsets;

/**
 * A command of a person, a script or a library to a transaction manager, separate from the requests
 * of transactions; needs {@link Capabilities#COMMANDS}, or for {@link #OWNERS_OF_BUCKETS} {@link
 * Capabilities#BUCKETS}. Commands are rare, hence text and a dedicated frame.
 *
 * @param id id of the command, repeated in the result
 * @param name name of the command
 * @param argument argument in the command's own format; may be empty
 */
public record Command(long id, String name, String argument) {

  /** Returns the owners of the buckets, as {@code BucketMap} encodes them. */
  public static final String OWNERS_OF_BUCKETS = "buckets";

  /** Writes this as a complete frame. */
  public void writeTo(FrameWriter writer) {
    byte[] nameBytes = bytes(name, FrameLayout.MAX_COMMAND_NAME_BYTES);
    byte[] argumentBytes = bytes(argument, FrameLayout.MAX_COMMAND_ARGUMENT_BYTES);
    writer.start(FrameKind.COMMAND);
    writer.i64(id).u16(nameBytes.length).bytes(nameBytes);
    writer.i32(argumentBytes.length).bytes(argumentBytes);
  }

  /** Reads a command. */
  public static Command readFrom(FrameReader reader) {
    reader.expect(FrameKind.COMMAND);
    long id = reader.i64();
    String name = readText(reader, reader.u16(), FrameLayout.MAX_COMMAND_NAME_BYTES);
    String argument =
        readText(reader, reader.count(Byte.BYTES), FrameLayout.MAX_COMMAND_ARGUMENT_BYTES);
    reader.end();
    return new Command(id, name, argument);
  }

  /**
   * Result of a command.
   *
   * @param id id of the command
   * @param succeeded whether the command was executed
   * @param text the answer as JSON; after a failure, cause and remedy as plain text
   */
  public record Result(long id, boolean succeeded, String text) {

    /** Writes this as a complete frame. */
    public void writeTo(FrameWriter writer) {
      byte[] textBytes = bytes(text, FrameLayout.MAX_RESULT_BYTES);
      writer.start(FrameKind.RESULT);
      writer.i64(id).u8(succeeded ? 1 : 0).i32(textBytes.length).bytes(textBytes);
    }

    /** Reads a result. */
    public static Result readFrom(FrameReader reader) {
      reader.expect(FrameKind.RESULT);
      long id = reader.i64();
      boolean succeeded = reader.u8() != 0;
      String text = readText(reader, reader.count(Byte.BYTES), FrameLayout.MAX_RESULT_BYTES);
      reader.end();
      return new Result(id, succeeded, text);
    }
  }

  private static byte[] bytes(String text, int limit) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > limit) {
      throw new MalformedException("text too long, bytes=" + bytes.length + " limit=" + limit);
    }
    return bytes;
  }

  private static String readText(FrameReader reader, int length, int limit) {
    if (length > limit) {
      throw new MalformedException("text too long, bytes=" + length + " limit=" + limit);
    }
    return new String(reader.bytes(length), StandardCharsets.UTF_8);
  }
}
