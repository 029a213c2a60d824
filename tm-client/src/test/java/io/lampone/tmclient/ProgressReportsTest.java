package io.lampone.tmclient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lampone.protocol.tm.ProgressReport;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.TransactionManagerException;
import io.lampone.protocol.tm.TransactionManagerException.Kind;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Progress reports to servers that support them, and to older ones. */
@Timeout(180)
final class ProgressReportsTest {

  private static final long START = 1L << 60;
  private static final ProgressReport REPORT =
      new ProgressReport(2, new long[] {START}, Optional.empty());

  private ScriptedServer server;
  private TransactionManagerClient client;

  @BeforeEach
  void start() throws Exception {
    server = new ScriptedServer();
    client =
        TransactionManagerClient.create(
            TransactionManagerClientConfig.builder()
                .backoffCap(Duration.ofMillis(20))
                .connectTimeout(Duration.ofMinutes(1))
                .requestTimeout(Duration.ofMinutes(1))
                .stallTimeout(Duration.ofMinutes(1))
                .build(),
            server.address());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void theAnswerIsABlock() throws Exception {
    CompletableFuture<StartBlock> asked = client.progress(REPORT);
    ScriptedServer.Talk talk = greeted(Capabilities.PROGRESS);
    WireRequest.Report request = (WireRequest.Report) talk.request();
    assertThat(request.report()).usingRecursiveComparison().isEqualTo(REPORT);
    StartBlock block =
        new StartBlock(START, 256, START + 256, 2, Proofs.OPEN.grant(START + 256, 1));
    talk.reply(new WireReply.Progressed(request.id(), block));
    assertThat(get(asked)).isEqualTo(block);
  }

  /** An older server would drop the connection for the unknown request, or the unknown flag. */
  @Test
  void anOlderServerIsSentNeitherReportsNorTheFlag() throws Exception {
    CompletableFuture<StartBlock> asked = client.progress(REPORT);
    long[] one = {7};
    CompletableFuture<Validation> validation =
        client.validate(
            new Validator.Request(START, Proofs.OPEN.grant(START, 0), true, one, one, false, true));
    ScriptedServer.Talk talk = greeted(Capabilities.ASSIGNED);
    WireRequest.Validate request = (WireRequest.Validate) talk.request();
    assertThat(request.request().reported()).isFalse();
    Validation passed = new Validation.Passed(START + 256, new Tag(1, 2));
    talk.reply(new WireReply.Validated(request.id(), passed));
    assertThat(get(validation)).isEqualTo(passed);
    assertThat(catchThrowableOfType(ExecutionException.class, () -> get(asked)))
        .cause()
        .isInstanceOfSatisfying(
            TransactionManagerException.class,
            e -> assertThat(e.kind()).isEqualTo(Kind.INCOMPATIBLE));
  }

  private ScriptedServer.Talk greeted(long capabilities) throws Exception {
    ScriptedServer.Talk talk = server.nextUngreeted();
    long offered = Handshake.Hello.readFrom(talk.read()).capabilities();
    assertThat(Capabilities.has(offered, Capabilities.PROGRESS)).isTrue();
    talk.say(
        new Handshake.Welcome(
            1, capabilities, 1, ScriptedServer.MAX_FRAME_BYTES, ScriptedServer.MAX_MESSAGES));
    return talk;
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(20, TimeUnit.SECONDS);
  }
}
