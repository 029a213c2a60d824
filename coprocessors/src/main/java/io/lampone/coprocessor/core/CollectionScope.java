package io.lampone.coprocessor.core;

import io.lampone.protocol.FamilyRetention;

/**
 * What one flush or compaction of one store may take away (protocol page, section 11).
 *
 * @param safePoint the oldest snapshot that is still readable; 0 = not known, nothing goes
 * @param complete whether every file of the store is read, so that what is not met is nowhere
 * @param readPoint the smallest MVCC read point of an open scanner: what is younger is kept and
 *     counts for nothing, because that scanner does not see it
 * @param retention how many versions of a column a snapshot shows, and for how long
 */
public record CollectionScope(
    long safePoint, boolean complete, long readPoint, FamilyRetention retention) {}
