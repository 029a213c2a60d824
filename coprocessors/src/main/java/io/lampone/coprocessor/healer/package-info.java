/**
 * Settles what dead clients have left behind, in the background of each region server and for its
 * own regions (protocol page, section 7). The decisions are in {@link io.lampone.coprocessor.core}.
 */
@NullMarked
package io.lampone.coprocessor.healer;

import org.jspecify.annotations.NullMarked;
