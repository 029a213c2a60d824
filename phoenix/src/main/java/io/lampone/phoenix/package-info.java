/**
 * Apache Phoenix on Lampone: takes the place of Omid as the transaction provider of unmodified
 * Phoenix ({@link io.lampone.phoenix.LamponePhoenix}).
 */
@NullMarked
package io.lampone.phoenix;

import org.jspecify.annotations.NullMarked;
