package io.lampone.client.hbase.line;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.CellBlockMeta;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ConnectionHeader;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ExceptionResponse;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.RequestHeader;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ResponseHeader;
import org.apache.hbase.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.hbase.thirdparty.com.google.protobuf.ExtensionRegistryLite;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;

/** The other end of lines: speaks HBase's protocol, and answers as a test wants. */
public final class FakeRegionServer implements AutoCloseable {

  /** What is done about a request. */
  public interface Behaviour {
    void answer(RequestHeader header, byte[] request, Conversation with) throws IOException;
  }

  /** One connection. */
  public static final class Conversation {

    private final Socket socket;
    private final OutputStream out;

    private Conversation(Socket socket) throws IOException {
      this.socket = socket;
      this.out = socket.getOutputStream();
    }

    public void reply(int id, Message answer) throws IOException {
      reply(id, answer, new byte[0]);
    }

    /** With cells behind it, as {@code KeyValueCodec} writes them. */
    public void reply(int id, Message answer, byte[] cells) throws IOException {
      ResponseHeader.Builder header = ResponseHeader.newBuilder().setCallId(id);
      if (cells.length > 0) {
        header.setCellBlockMeta(CellBlockMeta.newBuilder().setLength(cells.length));
      }
      send(header.build(), answer, cells);
    }

    public void fail(int id, String exception, String message) throws IOException {
      send(
          ResponseHeader.newBuilder()
              .setCallId(id)
              .setException(
                  ExceptionResponse.newBuilder()
                      .setExceptionClassName(exception)
                      .setStackTrace(exception + ": " + message)
                      .setDoNotRetry(false))
              .build(),
          null,
          new byte[0]);
    }

    private void send(ResponseHeader header, Message answer, byte[] cells) throws IOException {
      ByteArrayOutputStream body = new ByteArrayOutputStream();
      header.writeDelimitedTo(body);
      if (answer != null) {
        answer.writeDelimitedTo(body);
      }
      body.write(cells);
      bytes(ByteBuffer.allocate(Integer.BYTES).putInt(body.size()).array());
      bytes(body.toByteArray());
    }

    public void bytes(byte[] some) throws IOException {
      out.write(some);
      out.flush();
    }

    public void hangUp() throws IOException {
      socket.close();
    }
  }

  private final ServerSocket listener;
  private final List<Socket> sockets = Collections.synchronizedList(new ArrayList<>());
  private final List<ConnectionHeader> greetings = Collections.synchronizedList(new ArrayList<>());
  private final List<byte[]> preambles = Collections.synchronizedList(new ArrayList<>());
  private final List<RequestHeader> requests = Collections.synchronizedList(new ArrayList<>());
  private volatile Behaviour behaviour = FakeRegionServer::empty;

  public FakeRegionServer() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    run(this::accept);
  }

  /** Answers that there is no such row, or that nothing was done. */
  public static void empty(RequestHeader header, byte[] request, Conversation with)
      throws IOException {
    with.reply(
        header.getCallId(),
        header.getMethodName().equals("Get")
            ? ClientProtos.GetResponse.newBuilder()
                .setResult(ClientProtos.Result.getDefaultInstance())
                .build()
            : ClientProtos.MutateResponse.newBuilder().setProcessed(true).build());
  }

  public ServerName name() {
    return ServerName.valueOf(
        listener.getInetAddress().getHostAddress(), listener.getLocalPort(), 1);
  }

  public void behave(Behaviour wanted) {
    behaviour = wanted;
  }

  public List<ConnectionHeader> greetings() {
    return List.copyOf(greetings);
  }

  public List<byte[]> preambles() {
    return List.copyOf(preambles);
  }

  public List<RequestHeader> requests() {
    return List.copyOf(requests);
  }

  private static void run(Runnable task) {
    Thread thread = new Thread(task, "fake-region-server");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        sockets.add(socket);
        run(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      Conversation conversation = new Conversation(socket);
      preambles.add(in.readNBytes(6));
      greetings.add(ConnectionHeader.parseFrom(in.readNBytes(in.readInt())));
      while (true) {
        byte[] frame = in.readNBytes(in.readInt());
        CodedInputStream from = CodedInputStream.newInstance(frame);
        RequestHeader.Builder header = RequestHeader.newBuilder();
        from.readMessage(header, ExtensionRegistryLite.getEmptyRegistry());
        requests.add(header.build());
        behaviour.answer(
            header.build(),
            Arrays.copyOfRange(frame, from.getTotalBytesRead(), frame.length),
            conversation);
      }
    } catch (IOException over) {
      // The client has closed it, or the test has.
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : List.copyOf(sockets)) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
