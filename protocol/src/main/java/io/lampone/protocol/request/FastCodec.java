package io.lampone.protocol.request;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.FamilyRetention;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.OperationId;
import io.lampone.protocol.request.FastCondition.Always;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.SchemaUnchanged;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes bodies of fast-path requests; {@link RegionRequestCodec} encodes heads and row intents.
 *
 * <pre>
 *   fastWrite = mark:i64 issued atomic:bool count:length operation*
 *   operation = row:bytes client:i64 counter:i64 flags:u8 firstMark:i64 condition
 *               count:length mutation*
 *   flags     = bit 0: repeated, bit 1: returnsCells
 *   condition = 0:u8                                                        Always
 *             | 1:u8 version:i64 count:length place*                        Unchanged
 *             | 2:u8 family:bytes qualifier:bytes operator:u8 value:bytes   Compare
 *             | 3:u8 known:i64                                            SchemaUnchanged
 *   place     = family:bytes whole:bool qualifier:bytes
 *   mutation  = kind:u8 family:bytes qualifier:bytes value:bytes [lifetime:i64]
 *               a kind with bit 7 set has a lifetime; older servers refuse it
 *   lookup    = row:bytes client:i64 counter:i64 above:i64 proof
 * </pre>
 */
final class FastCodec {

  private static final int REPEATED = 1;
  private static final int RETURNS_CELLS = 2;
  private static final int ALWAYS = 0;
  private static final int UNCHANGED = 1;
  private static final int COMPARE = 2;
  private static final int SCHEMA_UNCHANGED = 3;
  private static final int EXPIRES = 0x80;

  private FastCodec() {}

  static void encode(Encoder out, FastWrite write) {
    IssueProof.write(out.i64(write.mark()), write.issued());
    out.bool(write.atomic()).length(write.operations().size());
    for (FastOperation operation : write.operations()) {
      int flags =
          (operation.repeated() ? REPEATED : 0) | (operation.returnsCells() ? RETURNS_CELLS : 0);
      out.bytes(operation.row()).i64(operation.id().client()).i64(operation.id().counter());
      out.u8(flags).i64(operation.firstMark());
      encode(out, operation.condition());
      out.length(operation.mutations().size());
      for (Mutation mutation : operation.mutations()) {
        boolean expires = mutation.lifetimeMillis() != FamilyRetention.FOREVER;
        out.u8(mutation.kind().code() | (expires ? EXPIRES : 0));
        out.bytes(mutation.family()).bytes(mutation.qualifier()).bytes(mutation.value());
        if (expires) {
          out.i64(mutation.lifetimeMillis());
        }
      }
    }
  }

  static void encode(Encoder out, OperationLookup lookup) {
    out.bytes(lookup.row()).i64(lookup.id().client()).i64(lookup.id().counter());
    Proof.write(out.i64(lookup.above()), lookup.proof());
  }

  static FastWrite decodeWrite(Decoder in, long floor) {
    long mark = in.timestamp();
    IssueProof issued = IssueProof.read(in);
    boolean atomic = in.bool();
    List<FastOperation> operations = new ArrayList<>();
    for (int left = in.count(28, RequestLimits.MAX_ROWS, "operations"); left > 0; left--) {
      operations.add(decodeOperation(in));
    }
    return new FastWrite(floor, mark, atomic, operations, issued);
  }

  static OperationLookup decodeLookup(Decoder in, long floor) {
    Bytes row = in.bytes();
    long client = in.i64();
    OperationId id = new OperationId(client, in.i64());
    long above = in.timestamp();
    return new OperationLookup(floor, row, id, above, Proof.read(in));
  }

  private static void encode(Encoder out, FastCondition condition) {
    if (condition instanceof Unchanged unchanged) {
      encode(out.u8(UNCHANGED).i64(unchanged.version()), unchanged.scope());
    } else if (condition instanceof Compare compare) {
      out.u8(COMPARE).bytes(compare.family()).bytes(compare.qualifier());
      out.u8(compare.operator().code()).bytes(compare.value());
    } else if (condition instanceof SchemaUnchanged unchanged) {
      out.u8(SCHEMA_UNCHANGED).i64(unchanged.known());
    } else {
      out.u8(ALWAYS);
    }
  }

  static void encode(Encoder out, List<Place> scope) {
    out.length(scope.size());
    for (Place place : scope) {
      out.bytes(place.family()).bool(place.wholeFamily()).bytes(place.qualifier());
    }
  }

  static List<Place> decodeScope(Decoder in) {
    List<Place> scope = new ArrayList<>();
    for (int left = in.count(3, RequestLimits.MAX_CELLS, "columns"); left > 0; left--) {
      Bytes family = in.bytes();
      boolean whole = in.bool();
      scope.add(new Place(family, whole, in.bytes()));
    }
    return scope;
  }

  private static FastOperation decodeOperation(Decoder in) {
    Bytes row = in.bytes();
    long client = in.i64();
    OperationId id = new OperationId(client, in.i64());
    if (id.isTransaction()) {
      throw new MalformedException("an operation has the name of a transaction, id=" + id);
    }
    int flags = in.u8();
    if ((flags & ~(REPEATED | RETURNS_CELLS)) != 0) {
      throw new MalformedException("unknown flags of an operation, flags=" + flags);
    }
    long firstMark = in.timestamp();
    FastCondition condition = decodeCondition(in);
    List<Mutation> mutations = new ArrayList<>();
    for (int left = in.count(4, RequestLimits.MAX_CELLS, "cells"); left > 0; left--) {
      mutations.add(decodeMutation(in));
    }
    return new FastOperation(
        row,
        id,
        (flags & REPEATED) != 0,
        firstMark,
        condition,
        (flags & RETURNS_CELLS) != 0,
        mutations);
  }

  private static Mutation decodeMutation(Decoder in) {
    int code = in.u8();
    Kind kind = Kind.ofCode(code & ~EXPIRES);
    Bytes family = in.bytes();
    Bytes qualifier = in.bytes();
    Bytes value = in.bytes();
    long lifetime = (code & EXPIRES) == 0 ? FamilyRetention.FOREVER : in.lifetime();
    return new Mutation(kind, family, qualifier, value, lifetime);
  }

  private static FastCondition decodeCondition(Decoder in) {
    int kind = in.u8();
    switch (kind) {
      case ALWAYS:
        return new Always();
      case UNCHANGED:
        long version = in.timestamp();
        return new Unchanged(version, decodeScope(in));
      case COMPARE:
        Bytes family = in.bytes();
        Bytes qualifier = in.bytes();
        Operator operator = Operator.ofCode(in.u8());
        return new Compare(family, qualifier, operator, in.bytes());
      case SCHEMA_UNCHANGED:
        return new SchemaUnchanged(in.timestamp());
      default:
        throw new MalformedException("unknown kind of condition, kind=" + kind);
    }
  }
}
