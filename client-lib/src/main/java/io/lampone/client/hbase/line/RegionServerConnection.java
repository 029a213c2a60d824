package io.lampone.client.hbase.line;

import io.lampone.protocol.time.Clock;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.codec.KeyValueCodec;
import org.apache.hadoop.hbase.ipc.RemoteWithExtrasException;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ExceptionResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.RequestHeader;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ResponseHeader;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hbase.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.hbase.thirdparty.com.google.protobuf.CodedOutputStream;
import org.apache.hbase.thirdparty.com.google.protobuf.ExtensionRegistryLite;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/**
 * Blocking connection to a region server, with one request on it at a time: the calling thread
 * writes its request and reads the reply, and no other thread is woken here. The protocol is that
 * of HBase's own clients, without authentication (HBase reference guide, "RPC").
 *
 * <p>One thread uses it at a time; any may close it, which ends a running call.
 */
final class RegionServerConnection implements AutoCloseable {

  /** Delay with which an interrupt is noticed. */
  private static final int SLICE_MILLIS = 100;

  /** Size of the buffer; longer replies get a separate one. */
  private static final int BUFFER_BYTES = 16 << 10;

  private final ServerName server;
  private final Clock clock;
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final KeyValueCodec codec = new KeyValueCodec();
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int nextId;
  private long deadlineNanos;
  private long usedNanos;

  private RegionServerConnection(ServerName server, Socket socket, Clock clock) throws IOException {
    this.server = server;
    this.socket = socket;
    this.clock = clock;
    this.in = socket.getInputStream();
    this.out = socket.getOutputStream();
    this.usedNanos = clock.monotonicNanos();
  }

  /** Connects and sends the preamble, to which servers do not reply. */
  static RegionServerConnection open(
      ServerName server, byte[] greeting, Duration limit, Clock clock) throws IOException {
    Socket socket = new Socket(Proxy.NO_PROXY);
    boolean open = false;
    try {
      socket.setTcpNoDelay(true);
      socket.setKeepAlive(true);
      socket.connect(
          new InetSocketAddress(server.getHostname(), server.getPort()), (int) limit.toMillis());
      RegionServerConnection line = new RegionServerConnection(server, socket, clock);
      line.out.write(greeting);
      open = true;
      return line;
    } finally {
      if (!open) {
        socket.close();
      }
    }
  }

  ServerName server() {
    return server;
  }

  /** Returns the time of the last use, on the monotonic clock. */
  long usedNanos() {
    return usedNanos;
  }

  /**
   * Sends a request, whose reply is read next.
   *
   * @throws IOException if the connection is broken: the call may have been executed
   */
  void post(Rpc<?, ?> question) throws IOException {
    deadlineNanos = clock.monotonicNanos() + question.limitNanos();
    nextId = nextId == Integer.MAX_VALUE ? 0 : nextId + 1;
    out.write(frame(nextId, question));
  }

  /**
   * Waits for the reply to the request that was sent.
   *
   * @throws RemoteException exception of the server; the connection remains usable
   * @throws IOException if the connection is broken: the call may have been executed
   */
  <R extends Message, T> T read(Rpc<R, T> question) throws IOException {
    ByteBuffer answer = receive(deadlineNanos);
    usedNanos = clock.monotonicNanos();
    return read(nextId, question, answer);
  }

  private static byte[] frame(int id, Rpc<?, ?> question) throws IOException {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(question.limitNanos()));
    RequestHeader header =
        RequestHeader.newBuilder()
            .setCallId(id)
            .setMethodName(question.method())
            .setRequestParam(true)
            .setPriority(question.priority())
            .setTimeout((int) Math.min(millis, Integer.MAX_VALUE))
            .build();
    int length =
        CodedOutputStream.computeMessageSizeNoTag(header)
            + CodedOutputStream.computeMessageSizeNoTag(question.request());
    byte[] frame = new byte[Integer.BYTES + length];
    ByteBuffer.wrap(frame).putInt(length);
    CodedOutputStream to = CodedOutputStream.newInstance(frame, Integer.BYTES, length);
    to.writeMessageNoTag(header);
    to.writeMessageNoTag(question.request());
    to.checkNoSpaceLeft();
    return frame;
  }

  /** Returns the next frame, without its length; it may be in the connection's own buffer. */
  private ByteBuffer receive(long deadlineNanos) throws IOException {
    int filled = fill(buffer, 0, Integer.BYTES, deadlineNanos);
    int length = ByteBuffer.wrap(buffer).getInt();
    if (length <= 0 || length > Integer.MAX_VALUE - Integer.BYTES) {
      throw new IOException("length of an answer out of range, length=" + length + at());
    }
    int end = Integer.BYTES + length;
    byte[] frame = buffer;
    filled = fill(frame, filled, Math.min(end, frame.length), deadlineNanos);
    while (filled < end) { // it grows with received, not with announced bytes
      frame = Arrays.copyOf(frame, (int) Math.min(end, 2L * frame.length));
      filled = fill(frame, filled, frame.length, deadlineNanos);
    }
    if (filled > end) {
      throw new IOException("more than the answer has come" + at());
    }
    return ByteBuffer.wrap(frame, Integer.BYTES, length);
  }

  /** Reads until {@code wanted} bytes are there, and further bytes that have arrived. */
  private int fill(byte[] into, int already, int wanted, long deadlineNanos) throws IOException {
    int filled = already;
    while (filled < wanted) {
      long left = deadlineNanos - clock.monotonicNanos();
      if (left <= 0) {
        throw new SocketTimeoutException("no answer in time" + at());
      }
      socket.setSoTimeout((int) Math.min(SLICE_MILLIS, TimeUnit.NANOSECONDS.toMillis(left) + 1));
      try {
        int count = in.read(into, filled, into.length - filled);
        if (count < 0) {
          throw new EOFException("the server has closed the connection" + at());
        }
        filled += count;
      } catch (SocketTimeoutException slice) {
        if (Thread.currentThread().isInterrupted()) {
          throw (IOException) new InterruptedIOException("interrupted" + at()).initCause(slice);
        }
      }
    }
    return filled;
  }

  private <R extends Message, T> T read(int id, Rpc<R, T> question, ByteBuffer answer)
      throws IOException {
    CodedInputStream from =
        CodedInputStream.newInstance(answer.array(), answer.position(), answer.remaining());
    ResponseHeader.Builder header = ResponseHeader.newBuilder();
    from.readMessage(header, ExtensionRegistryLite.getEmptyRegistry());
    if (header.getCallId() != id) {
      throw new IOException(
          "not the answer to the request"
              + at()
              + (header.hasException() ? " cause=" + exception(header.getException()) : ""));
    }
    if (header.hasException()) {
      throw exception(header.getException());
    }
    Message.Builder message = question.answer().newBuilderForType();
    from.readMessage(message, ExtensionRegistryLite.getEmptyRegistry());
    int begin = answer.position() + from.getTotalBytesRead();
    int length = header.getCellBlockMeta().getLength();
    if (length != answer.limit() - begin) {
      throw new IOException("length of the cells of an answer is wrong, length=" + length + at());
    }
    CellScanner cells = codec.getDecoder(new ByteArrayInputStream(answer.array(), begin, length));
    @SuppressWarnings("unchecked") // built by a message of that type
    R made = (R) message.build();
    return question.reading().read(made, cells);
  }

  private static RemoteException exception(ExceptionResponse thrown) {
    return thrown.hasHostname()
        ? new RemoteWithExtrasException(
            thrown.getExceptionClassName(),
            thrown.getStackTrace(),
            thrown.getHostname(),
            thrown.getPort(),
            thrown.getDoNotRetry(),
            thrown.getServerOverloaded())
        : new RemoteWithExtrasException(
            thrown.getExceptionClassName(),
            thrown.getStackTrace(),
            thrown.getDoNotRetry(),
            thrown.getServerOverloaded());
  }

  private String at() {
    return ", server=" + server;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException ignored) {
      // A failed close has no remedy and no consequence.
    }
  }
}
