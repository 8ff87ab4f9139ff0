/**
 * Names of exercises by place, under which progress was saved before version 0.3: "7.3" is the fourth exercise under
 * seed 7. Progress of "-" is dropped, because the place has held different exercises.
 */
export const BY_PLACE = new Map(
  Object.entries({
    asking: "most_attended row_sum true_reason",
    two_products: "two_by_two share_of_powers true_reason",
    next_word: "likeliest_word odds true_reason",
    three_matrices: "one_projection what_stays count_numbers false_statement true_reason",
    library: "where_it_fails pages_of_a_mix true_reason",
    shapes: "head_width which_stage score_count closed_by_padding order_of_stages true_reason",
    scores: "one_score which_key longer_query false_statement order_of_stages true_reason wrong_cell",
    scaling: "scaled_score spread how_many_times - false_statement order_of_stages true_reason",
    masks: "open_cells open_keys level_row second_row false_statement wrong_row true_reason",
    both_ways: "rows_that_change which_one true_reason",
    softmax: "one_weight all_higher how_much_higher possible_row false_statement wrong_row true_reason",
    weighted_sum: "one_mixture level_mean back_to_the_weight - false_statement order_of_stages true_reason",
    heads: "score_of_a_head score_of_all first_column written_by_head false_statement order_of_stages true_reason",
    twenty_lines: "number_of_a_head without_transpose innermost order_of_stages true_reason",
    write_it: "which_line what_slipped transposed_line true_reason",
    cross: "map_shape who_grows row_total true_reason",
    positions: "order_matters first_wave linear_bias rotary_score true_reason",
    gradients: "- - - - true_reason",
    training_step: "updated - - overshoot true_reason",
    layers: "induced next_x residual norm_of_layer post_norm_cell false_statement true_reason",
    decoder_block: "open_cells cached_rows block_numbers false_statement true_reason",
    habits: "followed before induction_of_row true_reason",
    worth: "change missing_part - true_reason",
    singular_values: "determinant rank largest_stretch - - true_reason",
    only_m: "rank_of_scores turned_score false_statement true_reason share_of_score",
    initialisation: "drawn_variance variance_of_q false_statement true_reason",
    decoding: "cached_numbers - - - - true_reason",
    costs: "map_products open_pattern - - - true_reason",
    variants: "- - mirrored false_statement true_reason",
  }),
);
