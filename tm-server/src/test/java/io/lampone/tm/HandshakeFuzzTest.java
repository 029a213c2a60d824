package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Trap D8: every byte of every frame changed, cut and made up, in every state of a handshake by
 * secret. Whoever sends that loses the connection; a client next to it goes on, and nothing is
 * executed for anybody who has not been welcomed.
 */
@Timeout(180)
final class HandshakeFuzzTest {

  private static final String SECRET = "the-secret-of-the-shop";
  private static final Identity SHOP = new Identity("shop", "");

  private enum Stage {
    HELLO,
    PROOF,
    WELCOMED
  }

  @TempDir private Path directory;

  private final MetricRegistry metrics = new MetricRegistry();
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private TransactionManagerServer server;
  private FrameSocket good;

  /** Begins that have been executed, and the id of the last one of the client that behaves. */
  private long begun;

  private long lastId;

  @BeforeEach
  void start() throws Exception {
    Path principals = directory.resolve("principals");
    Files.writeString(principals, "shop client * " + SECRET + "\n");
    Files.setPosixFilePermissions(principals, PosixFilePermissions.fromString("rw-------"));
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(1 << 10)
                .decisionMemoryCapacity(1 << 10)
                .handshakeTimeout(Duration.ofSeconds(2))
                .security(
                    new SecuritySettings(
                        Mode.SECRET,
                        Optional.of(principals),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty()))
                .build(),
            metrics,
            new MemoryRecordStore(),
            SystemClock.INSTANCE);
    server.whenPrimary().get(60, SECONDS);
    good = connect(Stage.WELCOMED);
    goesOn();
  }

  @AfterEach
  void theOtherWasNotDisturbed() throws Exception {
    goesOn();
    assertThat(server.isPrimary()).isTrue();
    good.close();
    server.close();
  }

  @Test
  void everyByteChangedWithAndWithoutAChecksumThatFits() throws Exception {
    for (Stage stage : Stage.values()) {
      int length = due(stage, Bytes.wrap(new byte[FrameLayout.NONCE_BYTES])).length;
      for (int i = 0; i < length; i++) {
        for (boolean sealed : new boolean[] {false, true}) {
          if (sealed && i < FrameLayout.KIND_OFFSET) {
            continue; // sealing would put right what was changed
          }
          int position = i;
          int flip = 1 + random.nextInt(255);
          attack(
              stage,
              frame -> {
                frame[position] ^= (byte) flip;
                return sealed ? FrameSocket.seal(frame) : frame;
              });
        }
      }
    }
  }

  @Test
  void everyTruncationAndSomeExtensions() throws Exception {
    for (Stage stage : Stage.values()) {
      int length = due(stage, Bytes.wrap(new byte[FrameLayout.NONCE_BYTES])).length;
      for (int i = 0; i < length; i++) {
        int cut = i;
        attack(stage, frame -> Arrays.copyOf(frame, cut));
        if (cut >= FrameLayout.BODY_OFFSET) {
          attack(stage, frame -> FrameSocket.seal(Arrays.copyOf(frame, cut)));
        }
      }
      for (int more : new int[] {1, 7, 100, 900, 2000, 100_000}) {
        attack(stage, frame -> FrameSocket.seal(Arrays.copyOf(frame, frame.length + more)));
      }
    }
  }

  @Test
  void everyKindOfFrameWithAMadeUpBodyAtEveryStage() throws Exception {
    for (Stage stage : Stage.values()) {
      for (int kind = 0; kind <= FrameKind.values().length + 1; kind++) {
        for (int round = 0; round < 12; round++) {
          int code = kind;
          attack(
              stage,
              frame -> {
                byte[] noise = new byte[FrameLayout.BODY_OFFSET + random.nextInt(120)];
                random.nextBytes(noise);
                if (random.nextBoolean() && noise.length >= FrameLayout.BODY_OFFSET + 4) {
                  ByteBuffer.wrap(noise).putInt(FrameLayout.BODY_OFFSET, FrameLayout.MAGIC);
                }
                noise[FrameLayout.KIND_OFFSET] = (byte) code;
                return FrameSocket.seal(noise);
              });
        }
      }
    }
  }

  @Test
  void lengthsThatAreTooLongOrNegativeAreNotWaitedFor() throws Exception {
    for (Stage stage : Stage.values()) {
      for (int length :
          new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 64 << 20, 5 << 20}) {
        try (FrameSocket bad = connect(stage)) {
          byte[] head = new byte[8];
          ByteBuffer.wrap(head).putInt(length);
          bad.send(head);
          assertThat(bad.isClosedSilently()).as("stage=%s length=%d", stage, length).isTrue();
        }
      }
    }
  }

  @Test
  void aFrameThatComesByteByByteIsReadAndOneThatNeverEndsTimesOut() throws Exception {
    try (FrameSocket slow = new FrameSocket(server.port())) {
      for (byte b : due(Stage.HELLO, Bytes.EMPTY)) {
        slow.send(new byte[] {b});
      }
      Bytes nonce = Handshake.Challenge.readFrom(slow.receive()).nonce();
      for (byte b : due(Stage.PROOF, nonce)) {
        slow.send(new byte[] {b});
      }
      Handshake.Counterproof.readFrom(slow.receive());
      Handshake.Welcome.readFrom(slow.receive());
    }
    for (Stage stage : new Stage[] {Stage.HELLO, Stage.PROOF}) {
      try (FrameSocket slow = connect(stage)) {
        slow.send(new byte[] {0, 0});
        assertThat(slow.isClosedSilently()).isTrue();
      }
    }
    assertThat(metrics.meter("lampone.tm.handshakes.timed-out").getCount()).isEqualTo(2);
  }

  private interface Change {

    byte[] apply(byte[] frame);
  }

  /** Sends a changed frame, takes what comes, and looks after the other client. */
  private void attack(Stage stage, Change change) throws Exception {
    try (FrameSocket bad = new FrameSocket(server.port())) {
      Bytes nonce = advance(bad, stage);
      bad.send(change.apply(due(stage, nonce)));
      // What would be executed if the change were overlooked.
      if (stage != Stage.WELCOMED) {
        bad.send(due(Stage.WELCOMED, nonce));
      }
      bad.endOutput();
      bad.drain();
    } catch (IOException e) {
      // Closed while this was still being written: that is what it deserves.
      assertThat(e).as("seed=%d", seed).isNotInstanceOf(SocketTimeoutException.class);
    }
    goesOn();
    if (stage != Stage.WELCOMED) {
      assertThat(metrics.meter("lampone.tm.begins").getCount())
          .as("seed=%d", seed)
          .isEqualTo(begun);
    } else {
      begun = metrics.meter("lampone.tm.begins").getCount();
    }
  }

  private void goesOn() throws IOException {
    lastId++;
    assertThat(good.begins(lastId)).as("seed=%d", seed).isTrue();
    begun++;
  }

  private FrameSocket connect(Stage stage) throws IOException {
    FrameSocket socket = new FrameSocket(server.port());
    advance(socket, stage);
    return socket;
  }

  /** Takes a connection to where the frame of {@code stage} is due; returns the server's nonce. */
  private Bytes advance(FrameSocket socket, Stage stage) throws IOException {
    if (stage == Stage.HELLO) {
      return Bytes.wrap(new byte[FrameLayout.NONCE_BYTES]);
    }
    Bytes nonce = socket.challenge(SHOP, Capabilities.SECRET);
    if (stage == Stage.WELCOMED) {
      socket.prove(SHOP, SECRET, nonce);
      Handshake.Counterproof.readFrom(socket.receive());
      Handshake.Welcome.readFrom(socket.receive());
    }
    return nonce;
  }

  private byte[] due(Stage stage, Bytes nonce) throws IOException {
    try (FrameSocket paper = FrameSocket.unconnected()) {
      switch (stage) {
        case HELLO ->
            new Handshake.Hello(
                    1, 1, Capabilities.OWNERSHIP | Capabilities.SECRET, SHOP.credential())
                .writeTo(paper.writer());
        case PROOF -> FrameSocket.proof(SHOP, SECRET, nonce).writeTo(paper.writer());
        case WELCOMED -> {
          paper.writer().start(FrameKind.REQUESTS);
          new WireRequest.Begin(1).writeTo(paper.writer());
          new WireRequest.Status(2, Timestamps.PLAIN_LIMIT, 0).writeTo(paper.writer());
        }
      }
      return paper.frame();
    }
  }
}
