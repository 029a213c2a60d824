package io.lampone.benchmarks.spurious;

import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.Validator.Assignment;
import io.lampone.protocol.tm.Validator.Validation;
import io.lampone.protocol.tm.Validator.Vote;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tm.core.validation.VotingCore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Lampone's validators: the product's, by its frames; one frame for each step. */
final class SnapshotValidators implements ModelValidators {

  private static final int CAPACITY = 1 << 18;
  private static final long INCARNATION = 1;

  private final List<VotingCore> cores = new ArrayList<>();

  SnapshotValidators(int validators) {
    for (int i = 0; i < validators; i++) {
      cores.add(new VotingCore(INCARNATION, CAPACITY, Proofs.OPEN, SystemClock.INSTANCE));
    }
  }

  @Override
  public void validate(List<ModelTransaction> arrived) {
    for (int validator = 0; validator < cores.size(); validator++) {
      FrameWriter frame = new FrameWriter();
      frame.start(FrameKind.REQUESTS);
      List<ModelTransaction> asked = new ArrayList<>();
      for (ModelTransaction each : arrived) {
        long[] reads = hashes(each.reads, validator);
        long[] writes = hashes(each.writes, validator);
        if (reads.length + writes.length > 0) {
          asked.add(each);
          new WireRequest.Vote(asked.size(), vote(each, reads, writes)).writeTo(frame);
        }
      }
      if (!asked.isEmpty()) {
        collect(asked, validator, exchange(frame, asked.size(), cores.get(validator)));
      }
    }
  }

  private static Vote vote(ModelTransaction each, long[] reads, long[] writes) {
    long[] checks = LongStream.concat(Arrays.stream(reads), Arrays.stream(writes)).toArray();
    return new Vote(
        new Assignment(each.snapshot, each.commit, Proofs.OPEN.pass(each.snapshot, each.commit)),
        INCARNATION,
        each.snapshot,
        reads.length,
        checks,
        writes);
  }

  private long[] hashes(int[] keys, int validator) {
    return Arrays.stream(keys)
        .filter(key -> key % cores.size() == validator)
        .mapToLong(ModelValidators::hash)
        .toArray();
  }

  private static List<WireReply> exchange(FrameWriter frame, int votes, VotingCore core) {
    RequestCursor cursor = new RequestCursor(votes);
    cursor.open(frame.finish(), Capabilities.BUCKETS);
    ByteBuffer answer = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(votes));
    ReplyWriter writer = new ReplyWriter(Proofs.OPEN);
    writer.start(answer);
    if (!(core.handle(cursor, writer) instanceof BatchOutcome.Answered)) {
      throw new IllegalStateException("votes were not answered");
    }
    int bytes = writer.finish();
    answer.position(0).limit(bytes);
    return WireReply.readBatch(FrameReader.open(answer));
  }

  private static void collect(
      List<ModelTransaction> asked, int validator, List<WireReply> answers) {
    for (WireReply each : answers) {
      if (!(((WireReply.Validated) each).validation() instanceof Validation.Voted)) {
        asked.get((int) each.id() - 1).refusals |= 1 << validator;
      }
    }
  }

  @Override
  public long checkedFrom(ModelTransaction transaction, int read) {
    return transaction.snapshot;
  }

  @Override
  public boolean checksWrites() {
    return true;
  }
}
