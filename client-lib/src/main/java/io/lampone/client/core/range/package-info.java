/** Ranges of rows that serializable transactions have scanned. */
@NullMarked
package io.lampone.client.core.range;

import org.jspecify.annotations.NullMarked;
