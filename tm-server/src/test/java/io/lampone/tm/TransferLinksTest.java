package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.protocol.connect.ClientSecurity;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Transfer;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.net.EventLoopTransport;
import io.lampone.tm.net.PeerCredential;
import io.lampone.tm.net.TransferLinks;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection of a primary, and what a process at its other end answers. */
@Timeout(120)
final class TransferLinksTest {

  private final CompletableFuture<Void> opened = new CompletableFuture<>();
  private final CompletableFuture<Transfer.Reply> received = new CompletableFuture<>();

  /** A validator that has been given buckets here and there repeats them all. */
  @Test
  void anAnswerMayBeLongerThanAHandshake() throws Exception {
    Transfer.Reply.Voting answer =
        new Transfer.Reply.Voting(
            "v", 7, 0, new Transfer.Reply.Counts(1 << 16, 0, 0, 0, 0), "10-11,".repeat(200));
    EventLoopGroup loop = EventLoopTransport.NIO.start("links-test", false);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      TransferLinks links =
          new TransferLinks(
              EventLoopTransport.NIO,
              loop,
              () -> new PeerCredential(ClientSecurity.NONE, Optional.empty()));
      TransferLink link = links.connect("127.0.0.1:" + server.getLocalPort(), new Listener());
      try (FrameSocket validator = new FrameSocket(server.accept())) {
        long capabilities = Handshake.Hello.readFrom(validator.receive()).capabilities();
        assertThat(Capabilities.has(capabilities, Capabilities.BUCKETS)).isTrue();
        validator.send(
            new Handshake.Welcome(
                FrameLayout.VERSION, capabilities, 1, FrameLayout.LOWEST_MAX_FRAME_BYTES, 1));
        opened.get(60, SECONDS);
        loop.execute(() -> link.send(new Transfer.Ping(1, "")));
        validator.receive();
        answer.writeTo(validator.writer());
        byte[] frame = validator.frame();
        assertThat(frame).hasSizeGreaterThan(FrameLayout.MAX_HANDSHAKE_BYTES);
        validator.send(frame);
        assertThat(received.get(60, SECONDS)).isEqualTo(answer);
      }
    } finally {
      loop.shutdownGracefully(0, 5, SECONDS).syncUninterruptibly();
    }
  }

  private final class Listener implements TransferLink.Listener {

    @Override
    public void opened(long capabilities) {
      opened.complete(null);
    }

    @Override
    public void received(Transfer.Reply reply) {
      received.complete(reply);
    }

    @Override
    public void closed(String problem) {
      received.completeExceptionally(new IllegalStateException(problem));
    }
  }
}
