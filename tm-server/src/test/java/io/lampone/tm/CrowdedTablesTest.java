package io.lampone.tm;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.MemoryRecordStore;
import io.lampone.tm.security.Authenticator.Mode;
import io.lampone.tm.security.SecuritySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A client that records hashes without end ends no transaction of another one. */
@Timeout(180)
final class CrowdedTablesTest {

  private static final String SECRET = "a-secret-of-many-letters";
  private static final int CAPACITY = 1 << 14;
  private static final int HASHES = CAPACITY / 8;

  @TempDir private Path folder;

  private final MetricRegistry metrics = new MetricRegistry();
  private TransactionManagerServer server;
  private long nextId;
  private long nextHash;

  @BeforeEach
  void start() throws Exception {
    Path principals =
        Files.createFile(
            folder.resolve("principals"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(principals, List.of("flood client * " + SECRET, "shop client * " + SECRET));
    server =
        TransactionManagerServer.start(
            TransactionManagerConfig.builder()
                .bindHost("127.0.0.1")
                .bindPort(0)
                .conflictTableCapacity(CAPACITY)
                .decisionMemoryCapacity(CAPACITY)
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
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aFloodOfHashes_isRefused_andAnOlderTransactionOfAnotherPrincipalCommits() throws Exception {
    try (FrameSocket flood = connect("flood");
        FrameSocket shop = connect("shop")) {
      // Both have validated something: each knows of the other.
      assertThat(validate(shop, begin(shop), 1)).isInstanceOf(Validation.Passed.class);
      Begin honest = begin(shop);
      int refused = 0;
      for (int i = 0; i < 32; i++) {
        Validation reply = validate(flood, begin(flood), HASHES);
        if (reply instanceof Validation.Refused) {
          refused++;
        }
      }
      assertThat(refused).isGreaterThan(20);
      assertThat(validate(shop, honest, 10)).isInstanceOf(Validation.Passed.class);
    }
    assertThat(metrics.meter("lampone.tm.batches.refused.turnover").getCount()).isGreaterThan(20);
  }

  private FrameSocket connect(String name) throws IOException {
    Identity identity = new Identity(name, "");
    FrameSocket socket = new FrameSocket(server.port());
    socket.prove(identity, SECRET, socket.challenge(identity, Capabilities.SECRET));
    Handshake.Counterproof.readFrom(socket.receive());
    Handshake.Welcome.readFrom(socket.receive());
    return socket;
  }

  private Begin begin(FrameSocket socket) throws IOException {
    socket.writer().start(FrameKind.REQUESTS);
    new WireRequest.Begin(++nextId).writeTo(socket.writer());
    socket.send(socket.frame());
    return ((WireReply.Begun) WireReply.readBatch(socket.receive()).get(0)).begin();
  }

  private Validation validate(FrameSocket socket, Begin begin, int hashes) throws IOException {
    long[] all = new long[hashes];
    for (int i = 0; i < hashes; i++) {
      all[i] = ++nextHash;
    }
    socket.writer().start(FrameKind.REQUESTS);
    Validator.Request request =
        new Validator.Request(begin.startTimestamp(), begin.grant(), true, new long[0], all);
    new WireRequest.Validate(++nextId, request).writeTo(socket.writer());
    socket.send(socket.frame());
    return ((WireReply.Validated) WireReply.readBatch(socket.receive()).get(0)).validation();
  }
}
